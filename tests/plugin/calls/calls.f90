! SPDX-License-Identifier: MIT
module measured
  use iso_c_binding
  implicit none
  interface
    subroutine pp_begin (name) bind (C, name="pp_begin")
      import :: c_char
      character (kind=c_char), dimension (*), intent (in) :: name
    end subroutine
    subroutine pp_end (name) bind (C, name="pp_end")
      import :: c_char
      character (kind=c_char), dimension (*), intent (in) :: name
    end subroutine
    subroutine pp_point_int (name, value) bind (C, name="pp_point_int")
      import :: c_char, c_int64_t
      character (kind=c_char), dimension (*), intent (in) :: name
      integer (c_int64_t), value :: value
    end subroutine
    subroutine pp_point_double (name, value) bind (C, name="pp_point_double")
      import :: c_char, c_double
      character (kind=c_char), dimension (*), intent (in) :: name
      real (c_double), value :: value
    end subroutine
  end interface
contains
  subroutine work (n)
    integer, intent (in) :: n
    integer :: i
    call pp_begin ("work" // c_null_char)
    do i = 1, n
      call pp_point_int ("i" // c_null_char, int (i, c_int64_t))
      if (i == 2) cycle
      call pp_begin ("without the NUL")
      call pp_point_double ("half" // c_null_char, i * 0.5d0)
      call pp_end ("without the NUL")
    end do
    call pp_end ("work" // c_null_char)
  end subroutine
end module

program calls
  use measured
  implicit none
  call work (3)
end program
! expect: B work
! expect: P i 1
! expect: B without the NUL
! expect: P half 0.5
! expect: E without the NUL
! expect: P i 2
! expect: P i 3
! expect: B without the NUL
! expect: P half 1.5
! expect: E without the NUL
! expect: E work
