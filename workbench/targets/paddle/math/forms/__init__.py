"""Plain forms of torch's names: functions of values."""
