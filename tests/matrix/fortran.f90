! SPDX-License-Identifier: MIT
! Fortran's constructs, measured by calls of module pp. Each is a function matrix_NAME; see matrix.h, and fortran.c for what the calls say
! without the plugin.
include 'pp.f90'
! construct: loops
integer (c_long) function matrix_loops () bind (C)
  use pp
  use iso_c_binding
  implicit none
  integer :: i, j
  matrix_loops = 0
  call pp_begin ("loops")
  outer: do i = 1, 5
    call pp_begin ("outer")
    do j = 1, 5
      if (j == 2) cycle
      if (i * j == 12) then
        call pp_end ("outer")
        exit outer
      end if
      call pp_point ("inner")
      matrix_loops = matrix_loops + i * j
    end do
    call pp_end ("outer")
    if (i == 3) cycle outer
    call pp_point_int ("i", int (i, int64))
  end do outer
  call pp_end ("loops")
end function

! construct: returns
integer (c_long) function matrix_returns () bind (C)
  use pp
  use iso_c_binding
  implicit none
  integer :: i
  matrix_returns = 0
  do i = 1, 4
    matrix_returns = matrix_returns * 10 + early (i)
  end do
contains
  integer function early (n)
    integer, intent (in) :: n
    call pp_begin ("early")
    early = n
    if (n > 2) then
      early = -n
      call pp_end ("early")
      return
    end if
    call pp_point ("late")
    call pp_end ("early")
  end function
end function

! construct: cases
integer (c_long) function matrix_cases () bind (C)
  use pp
  use iso_c_binding
  implicit none
  integer :: i
  character (len=8) :: text
  matrix_cases = 0
  do i = 1, 7
    call pp_begin ("case")
    select case (i)
    case (:2)
      call pp_point ("low")
    case (4, 6)
      call pp_point ("even")
      matrix_cases = matrix_cases + i
    case default
      write (text, '(i0)') i
      call pp_point_int ("length", int (len_trim (text), int64))
    end select
    call pp_end ("case")
  end do
end function

! construct: blocks
integer (c_long) function matrix_blocks () bind (C)
  use pp
  use iso_c_binding
  implicit none
  matrix_blocks = 0
  around: block
    integer :: k
    call pp_begin ("around")
    do k = 1, 3
      block
        real (real64) :: x
        x = k * 0.25d0
        call pp_point_double ("x", x)
        if (k == 2) then
          call pp_end ("around")
          exit around
        end if
      end block
      matrix_blocks = matrix_blocks + k
    end do
    call pp_end ("around")
  end block around
  call pp_point ("behind")
end function

! construct: recursion
integer (c_long) function matrix_recursion () bind (C)
  use pp
  use iso_c_binding
  implicit none
  matrix_recursion = fibonacci (5)
contains
  recursive integer function fibonacci (n) result (r)
    integer, intent (in) :: n
    call pp_begin ("fibonacci")
    if (n < 2) then
      r = n
    else
      r = fibonacci (n - 1) + fibonacci (n - 2)
    end if
    call pp_end ("fibonacci")
  end function
end function

! construct: arrays
integer (c_long) function matrix_arrays () bind (C)
  use pp
  use iso_c_binding
  implicit none
  real (real64) :: a(100), b(100)
  real (real64), allocatable :: c(:, :)
  integer :: i
  call pp_begin ("arrays")
  a = [(i * 0.5d0, i = 1, 100)]
  b = 0
  where (a > 20) b = a * 2
  call pp_begin ("sections")
  b(1:50:2) = a(2:51:2) + b(100:52:-2)
  allocate (c(10, 10))
  c = reshape (a * b, [10, 10])
  c = matmul (c, transpose (c))
  call pp_end ("sections")
  call pp_point_double ("sum", sum (b))
  do concurrent (i = 1:100)
    a(i) = sqrt (b(i)) + i
  end do
  matrix_arrays = int (sum (c) / 1d6) + int (maxval (a))
  call pp_end ("arrays")
end function

! construct: in_loops
integer (c_long) function matrix_in_loops () bind (C)
  use pp
  use iso_c_binding
  implicit none
  integer :: x(64), i
  x = [(mod (i * 7, 13), i = 1, 64)]
  matrix_in_loops = summed (x, 64) + summed (x(1:9:2), 5)
contains
  integer function summed (v, n)
    integer, intent (in) :: n, v(n)
    integer :: k
    summed = 0
    do k = 1, n
      call pp_begin ("iteration")
      summed = summed + v(k) * k
      call pp_end ("iteration")
      call pp_point_int ("value", int (v(k) * 2, int64))
    end do
  end function
end function

! construct: arguments
integer (c_long) function matrix_arguments () bind (C)
  use pp
  use iso_c_binding
  implicit none
  matrix_arguments = given () + given (3) + given (name="four") + given (5, "fifth")
contains
  integer function given (number, name)
    integer, intent (in), optional :: number
    character (*), intent (in), optional :: name
    call pp_begin ("given")
    given = 0
    if (present (number)) given = number
    if (present (name)) then
      given = given + len (name)
      call pp_point ("named")
    end if
    call pp_end ("given")
  end function
end function

! construct: objects
module matrix_shapes
  use pp
  implicit none
  type, abstract :: shape
  contains
    procedure (area_of), deferred :: area
  end type
  abstract interface
    integer function area_of (this)
      import :: shape
      class (shape), intent (in) :: this
    end function
  end interface
  type, extends (shape) :: square
    integer :: side
  contains
    procedure :: area => square_area
    final :: gone
  end type
contains
  integer function square_area (this)
    class (square), intent (in) :: this
    call pp_begin ("area")
    square_area = this%side**2
    call pp_point_int ("side", int (this%side, int64))
    call pp_end ("area")
  end function
  subroutine gone (this)
    type (square), intent (inout) :: this
    call pp_point_int ("gone", int (this%side, int64))
  end subroutine
end module
integer (c_long) function matrix_objects () bind (C)
  use matrix_shapes
  use iso_c_binding
  implicit none
  class (shape), allocatable :: one
  integer :: i
  matrix_objects = 0
  call pp_begin ("objects")
  do i = 1, 3
    allocate (one, source=square (i))
    matrix_objects = matrix_objects + one%area ()
    select type (one)
    type is (square)
      call pp_point ("square")
    end select
    deallocate (one)
  end do
  call pp_end ("objects")
end function

! construct: procedures
integer (c_long) function matrix_procedures () bind (C)
  use pp
  use iso_c_binding
  implicit none
  integer :: factor
  factor = 3
  matrix_procedures = apply (times, 4) + apply (times, 5)
contains
  integer function times (x)
    integer, intent (in) :: x
    call pp_begin ("times")
    times = x * factor
    call pp_end ("times")
  end function
  integer function apply (f, x)
    interface
      integer function f (x)
        integer, intent (in) :: x
      end function
    end interface
    integer, intent (in) :: x
    call pp_begin ("apply")
    factor = factor + 1
    apply = f (x)
    call pp_end ("apply")
  end function
end function

! construct: strings
integer (c_long) function matrix_strings () bind (C)
  use pp
  use iso_c_binding
  implicit none
  character (:), allocatable :: text
  integer :: i
  text = ""
  call pp_begin ("strings")
  do i = 1, 4
    call pp_begin ("appended")
    text = text // achar (iachar ("a") + i) // trim ("  x  ")
    call pp_end ("appended")
  end do
  call pp_end ("strings")
  matrix_strings = len (text) + index (text, "x")
end function

! construct: complex_numbers
integer (c_long) function matrix_complex_numbers () bind (C)
  use pp
  use iso_c_binding
  implicit none
  complex (real64) :: z, c
  integer :: n
  c = (-0.5d0, 0.5d0)
  z = 0
  n = 0
  do while (abs (z) < 2 .and. n < 20)
    call pp_begin ("step")
    z = z * z + c
    n = n + 1
    if (mod (n, 5) == 0) call pp_point_double ("re", real (nint (real (z) * 8), real64))
    call pp_end ("step")
  end do
  matrix_complex_numbers = n
end function

! construct: conditional
integer (c_long) function matrix_conditional () bind (C)
  use pp
  use iso_c_binding
  implicit none
  integer :: i
  matrix_conditional = 0
  do i = 1, 6
    if (mod (i, 2) == 0) call pp_begin ("even_only")
    matrix_conditional = matrix_conditional + i
    call pp_point ("both")
    if (mod (i, 2) == 0) call pp_end ("even_only")
  end do
end function
