"""Cases: functions of numbers, matrices and spectra."""
