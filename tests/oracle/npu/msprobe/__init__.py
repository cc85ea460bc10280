"""msprobe, as far as its documentation says what PrecisionDebugger does. Test only."""
