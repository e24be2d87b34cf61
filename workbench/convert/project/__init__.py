"""Files and folders: read, converted on all cores, written."""
