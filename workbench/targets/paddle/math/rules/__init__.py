"""Rules for torch's names: functions of values."""
