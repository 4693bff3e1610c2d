-- SPDX-License-Identifier: MIT
-- work.lua: words are counted and sorted, points are moved, and a number is computed by recursion: what a small script does.
local function fibonacci (n)
	if n < 2 then return n end
	return fibonacci (n - 1) + fibonacci (n - 2)
end

local Point = {}
Point.__index = Point
function Point.new (x, y)
	return setmetatable ({x = x, y = y}, Point)
end
function Point:move (dx, dy)
	self.x = self.x + dx
	self.y = self.y + dy
end

local function words (n)
	local count, list, text = {}, {}, ""
	for i = 1, n do
		local word = "word" .. i * 7919 % 97
		count[word] = (count[word] or 0) + 1
		text = text .. word .. " "
	end
	for word in pairs (count) do list[#list + 1] = word end
	table.sort (list)
	return #list, #text
end

local point = Point.new (0, 0.5)
for i = 1, 20000 do point:move (i, 0.25) end
print (fibonacci (18), point.x, point.y, words (3000))
