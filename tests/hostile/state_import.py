"""Keeps what it saw in what its import starts: a process, a thread and a handler."""

import atexit
import os
import threading
import time

os.mkfifo("/tmp/pipe")
READING, WRITING = (os.open("/tmp/pipe", os.O_RDWR) for _ in range(2))
if os.fork() == 0:
    os.setsid()
    os.write(WRITING, b"x")
    time.sleep(60)
    os._exit(0)
seen = []
threading.Thread(target=lambda: seen.append(os.read(READING, 1)) or time.sleep(60), daemon=True).start()
atexit.register(seen.append, 1)
STARTED = time.monotonic()


def there(number):
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def detect(rows, seed):
    others = [number for number in range(1, 600) if there(number)]
    old = time.monotonic() - STARTED > 5
    return old + (len(others) > 4)
