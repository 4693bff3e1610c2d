! SPDX-License-Identifier: MIT
!
! pp.f90: points and intervals in Fortran.
!
!     subroutine serve (n)
!       use pp
!       integer, intent(in) :: n
!       call pp_begin ("serve")
!       call pp_point_int ("length", int (n, int64))
!       ...
!       call pp_end ("serve")
!     end subroutine
!
! Compiled by gfortran -fplugin=ppgcc.so a call with a constant name is a marker, which costs nothing while nothing is bound,
! where an interval's begin and end are in one procedure. All other calls, and all of them without the plugin, are
! functions of libpp: the same points and intervals, without file and function. Names are cut at 255 characters; blanks
! at their end don't count. pp.h says what each does.
!
! The module has declarations only: nothing of it is linked.

module pp
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  private
  public :: pp_begin, pp_end, pp_point, pp_point_int, pp_point_double, int64, real64
  public :: pp_feature_begin, pp_feature_begin_int, pp_feature_end, pp_antimark_begin, pp_antimark_end
  public :: pp_profile_start, pp_profile_pause, pp_profile_resume, pp_profile_stop, pp_profile_print

  interface
    subroutine pp_begin (name)
      character(*), intent(in) :: name
    end subroutine pp_begin

    subroutine pp_end (name)
      character(*), intent(in) :: name
    end subroutine pp_end

    subroutine pp_point (name)
      character(*), intent(in) :: name
    end subroutine pp_point

    subroutine pp_point_int (name, value)
      import :: int64
      character(*), intent(in) :: name
      integer(int64), value :: value
    end subroutine pp_point_int

    subroutine pp_point_double (name, value)
      import :: real64
      character(*), intent(in) :: name
      real(real64), value :: value
    end subroutine pp_point_double

    ! Features: "library.feature"; a blank payload is none. These are calls with the plugin, too.
    subroutine pp_feature_begin (name, payload)
      character(*), intent(in) :: name, payload
    end subroutine pp_feature_begin

    subroutine pp_feature_begin_int (name, payload)
      import :: int64
      character(*), intent(in) :: name
      integer(int64), value :: payload
    end subroutine pp_feature_begin_int

    subroutine pp_feature_end (name)
      character(*), intent(in) :: name
    end subroutine pp_feature_end

    subroutine pp_antimark_begin (name)
      character(*), intent(in) :: name
    end subroutine pp_antimark_begin

    subroutine pp_antimark_end (name)
      character(*), intent(in) :: name
    end subroutine pp_antimark_end

    ! A profile of all threads by sampling, DELAY seconds between samples of a thread's CPU time; 0: 0.05.
    subroutine pp_profile_start (delay)
      import :: real64
      real(real64), value :: delay
    end subroutine pp_profile_start

    subroutine pp_profile_pause ()
    end subroutine pp_profile_pause

    subroutine pp_profile_resume ()
    end subroutine pp_profile_resume

    subroutine pp_profile_stop ()
    end subroutine pp_profile_stop

    ! The table on C's standard output: flush what Fortran has written there before.
    subroutine pp_profile_print ()
    end subroutine pp_profile_print
  end interface
end module pp
