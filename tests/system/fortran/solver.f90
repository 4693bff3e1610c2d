! SPDX-License-Identifier: MIT
! solver.f90: points and intervals by calls of module pp: how often each is executed is known.
module solver
  use pp
  implicit none
  character(*), parameter :: named = "named  "
contains
  subroutine step (n)
    integer, intent(in) :: n
    integer :: i
    character(12) :: computed
    call pp_begin ("step")
    do i = 1, n
      call pp_begin ("inner")
      call pp_point_int ("index", int (i, int64))
      call pp_point_double ("half", real (i, real64) / 2)
      call pp_point (named)
      call pp_end ("inner")
    end do
    call pp_feature_begin ("lib.step ", "payload")
    call pp_antimark_begin ("lib.step")
    call pp_antimark_end ("lib.step")
    call pp_feature_begin_int ("lib.number", int (n, int64))
    call pp_feature_end ("lib.number")
    call pp_feature_end ("lib.step")
    write (computed, '(a,i0)') "step", n
    call pp_begin (computed)
    call pp_end (computed)
    call pp_end ("step")
  end subroutine step
end module solver

program main
  use solver
  implicit none
  interface
    subroutine print_counts () bind(C)
    end subroutine print_counts
  end interface
  integer :: i
  call step (4)
  !$omp parallel do num_threads(2)
  do i = 2, 100
    call step (4)
  end do
  !$omp end parallel do
  call print_counts ()
end program main
