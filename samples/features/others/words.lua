-- SPDX-License-Identifier: MIT
-- words.lua: how often each word is in a text; strings, tables and patterns, and garbage of all of them
local rounds = tonumber (arg[1]) or 1000
local words, count, list = {}, {}, {}
for i = 1, 1000 do
	words[i] = string.format ("w%d", i * i % 997)
end
for _ = 1, rounds do
	for word in table.concat (words, " "):gmatch ("%a%d+") do
		count[word] = (count[word] or 0) + 1
	end
end
for word, times in pairs (count) do
	list[#list + 1] = {word, times}
end
table.sort (list, function (a, b)
	return a[2] > b[2] or a[2] == b[2] and a[1] < b[1]
end)
print (list[1][1], list[1][2])
