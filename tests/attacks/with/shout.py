"""Says anything to every socket, in the form of the channel's messages (channel.py)."""

import os
import stat
import struct


def frame(data):
    return struct.pack(">I", len(data)) + data


def shout(data):
    for fd in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                os.write(fd, data)
        except OSError:
            pass
