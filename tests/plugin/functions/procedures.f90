! SPDX-License-Identifier: MIT
! Fortran: procedures of modules, procedures inside others, loops, calls, OpenMP; by rules and as points.
! flags: -fopenmp -Wall
! plugin: calls
module work
  implicit none
contains
  integer function total (n)
    integer, intent(in) :: n
    integer :: i, j
    total = 0
    do i = 1, n
      if (i == 2) cycle
      do j = 1, 2
        total = total + inner (j)
      end do
      if (i == 4) exit
    end do
  contains
    integer function inner (k)
      integer, intent(in) :: k
      inner = k * 2
    end function inner
  end function total

  subroutine parallel (s)
    integer, intent(out) :: s
    integer :: i
    s = 0
    !$omp parallel do reduction(+:s) num_threads(2)
    do i = 1, 10
      s = s + i
    end do
    !$omp end parallel do
  end subroutine parallel

  recursive subroutine leaves (n)
    integer, intent(in) :: n
    if (n == 0) return
    call leaves (n - 1)
  end subroutine leaves
end module work

program solver
  use work
  implicit none
  integer :: s
  if (total (5) /= 18) stop 1
  call parallel (s)
  if (s /= 55) stop 2
  call leaves (1)
end program solver

! expect: P solver/calls P work::total/calls B work::total/body B work::total/loop.L12
! expect: P work::total::inner/calls P work::total::inner/calls P work::total::inner/calls P work::total::inner/calls
! expect: P work::total::inner/calls P work::total::inner/calls E work::total/loop.L12 E work::total/body
! expect: B solver/work::parallel P work::parallel/calls E solver/work::parallel
! expect: B solver/work::leaves P work::leaves/calls P work::leaves/calls E solver/work::leaves
