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
! An event has dimensions, 8 at most, and may begin and end in different procedures (docs/events.md):
!
!     id = pp_event_begin ("request", pp_dimension ("method", method), pp_dimension ("bytes", n))
!     call pp_dim ("cached", .true.)
!     call pp_event_end (id, pp_dimension ("status", 200))
!
! Values are integers, reals, logicals and texts. Keys are cut at 63 characters, texts at 255; blanks at their end don't count.
!
! The module has declarations only: nothing of it is linked.

module pp
  use, intrinsic :: iso_c_binding, only: c_char, c_int32_t, c_int64_t
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  implicit none
  private
  public :: pp_begin, pp_end, pp_point, pp_point_int, pp_point_double, int64, real64
  public :: pp_feature_begin, pp_feature_begin_int, pp_feature_begin_dims, pp_feature_end, pp_antimark_begin, pp_antimark_end
  public :: pp_dimension, pp_dim, pp_event_begin, pp_event_end
  public :: pp_profile_start, pp_profile_pause, pp_profile_resume, pp_profile_stop, pp_profile_print

  ! A dimension of an event: pp_dimension (key, value) makes it.
  type, bind(C) :: pp_dimension
    private
    integer(c_int64_t) :: value
    integer(c_int32_t) :: kind
    character(kind=c_char) :: key(64), text(256)
  end type pp_dimension

  interface pp_dimension
    function pp_dimension_int32 (key, value) result (dimension)
      import :: pp_dimension, int32
      character(*), intent(in) :: key
      integer(int32), value :: value
      type(pp_dimension) :: dimension
    end function pp_dimension_int32

    function pp_dimension_int64 (key, value) result (dimension)
      import :: pp_dimension, int64
      character(*), intent(in) :: key
      integer(int64), value :: value
      type(pp_dimension) :: dimension
    end function pp_dimension_int64

    function pp_dimension_logical (key, value) result (dimension)
      import :: pp_dimension
      character(*), intent(in) :: key
      logical, value :: value
      type(pp_dimension) :: dimension
    end function pp_dimension_logical

    function pp_dimension_real32 (key, value) result (dimension)
      import :: pp_dimension, real32
      character(*), intent(in) :: key
      real(real32), value :: value
      type(pp_dimension) :: dimension
    end function pp_dimension_real32

    function pp_dimension_real64 (key, value) result (dimension)
      import :: pp_dimension, real64
      character(*), intent(in) :: key
      real(real64), value :: value
      type(pp_dimension) :: dimension
    end function pp_dimension_real64

    function pp_dimension_text (key, value) result (dimension)
      import :: pp_dimension
      character(*), intent(in) :: key, value
      type(pp_dimension) :: dimension
    end function pp_dimension_text
  end interface pp_dimension

  ! One more dimension of the innermost interval or event that is open and recorded.
  interface pp_dim
    subroutine pp_dim_int32 (key, value)
      import :: int32
      character(*), intent(in) :: key
      integer(int32), value :: value
    end subroutine pp_dim_int32

    subroutine pp_dim_int64 (key, value)
      import :: int64
      character(*), intent(in) :: key
      integer(int64), value :: value
    end subroutine pp_dim_int64

    subroutine pp_dim_logical (key, value)
      character(*), intent(in) :: key
      logical, value :: value
    end subroutine pp_dim_logical

    subroutine pp_dim_real32 (key, value)
      import :: real32
      character(*), intent(in) :: key
      real(real32), value :: value
    end subroutine pp_dim_real32

    subroutine pp_dim_real64 (key, value)
      import :: real64
      character(*), intent(in) :: key
      real(real64), value :: value
    end subroutine pp_dim_real64

    subroutine pp_dim_text (key, value)
      character(*), intent(in) :: key, value
    end subroutine pp_dim_text
  end interface pp_dim

  interface
    ! The event's id; 0 while nothing is bound to it.
    function pp_event_begin (type, a, b, c, d, e, f, g, h) result (id)
      import :: int64, pp_dimension
      character(*), intent(in) :: type
      type(pp_dimension), intent(in), optional :: a, b, c, d, e, f, g, h
      integer(int64) :: id
    end function pp_event_begin

    ! STATUS: 0, or an error of pp.h.
    subroutine pp_event_end (id, a, b, c, d, e, f, g, h, status)
      import :: int32, int64, pp_dimension
      integer(int64), value :: id
      type(pp_dimension), intent(in), optional :: a, b, c, d, e, f, g, h
      integer(int32), intent(out), optional :: status
    end subroutine pp_event_end

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

    ! Several values tell instances apart: pp_dimension (key, value).
    subroutine pp_feature_begin_dims (name, a, b, c, d, e, f, g, h)
      import :: pp_dimension
      character(*), intent(in) :: name
      type(pp_dimension), intent(in), optional :: a, b, c, d, e, f, g, h
    end subroutine pp_feature_begin_dims

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
