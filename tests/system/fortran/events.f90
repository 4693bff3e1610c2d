! SPDX-License-Identifier: MIT
! events.f90: events with dimensions of all types, in one procedure and across two; what is recorded is compared with events.dump.
program main
  use pp
  use, intrinsic :: iso_fortran_env, only: int32, real32
  implicit none
  character(10) :: method = "GET"
  character(400) :: long_text
  character(80) :: long_key
  integer(int64) :: id, inner
  integer(int32) :: status
  integer :: i

  id = pp_event_begin ("request  ", pp_dimension ("method ", method), pp_dimension ("bytes", 4096), &
       pp_dimension ("big", 1234567890123_int64), pp_dimension ("half", 0.5_real32), &
       pp_dimension ("share", 0.25_real64), pp_dimension ("cached", .false.), pp_dimension ("path", path (7)))
  call pp_dim ("cached", .true.)
  inner = pp_event_begin ("query")
  call pp_dim ("rows", 12_int64)
  call pp_dim ("ratio", 1.5_real32)
  call pp_dim ("mean", 2.5_real64)
  call pp_dim ("table", "orders   ")
  call pp_event_end (inner, status=status)
  call finish (id)
  call pp_event_end (id, status=status)
  if (status == 0) print '(a)', "an event ended twice"

  long_text = repeat ("t", 400)
  long_key = repeat ("k", 80)
  id = pp_event_begin ("long", pp_dimension (long_key, 1), pp_dimension ("text", long_text), pp_dimension ("blank", " "))
  call pp_event_end (id)

  do i = 1, 1000
    id = pp_event_begin ("step", h=pp_dimension ("i", i))
    call pp_event_end (id, pp_dimension ("odd", mod (i, 2) == 1))
  end do
contains
  function path (n) result (text)
    integer, intent(in) :: n
    character(:), allocatable :: text
    text = repeat ("/", n) // "end"
  end function path

  subroutine finish (id)
    integer(int64), intent(in) :: id
    call pp_event_end (id, pp_dimension ("status", 200))
  end subroutine finish
end program main
