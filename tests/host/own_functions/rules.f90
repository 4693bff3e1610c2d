! SPDX-License-Identifier: MIT
! rules.f90: a function that a rule gives a metric of the program's own. Prints what does not hold.
module shared
   use iso_c_binding
   integer (c_int), bind (c, name="shared_depth") :: depth = 0
end module shared

subroutine inner ()
end subroutine inner

subroutine outer (n, seen)
   use shared
   integer, intent (in) :: n
   integer, intent (out) :: seen
   depth = n
   call inner ()
   seen = depth
   depth = 0
end subroutine outer

program rules
   integer :: seen
   call outer (7, seen)
   if (seen /= 8) print *, "what the metric of a rule wrote:", seen, "instead of 8"
   if (seen /= 8) stop 1
end program rules
