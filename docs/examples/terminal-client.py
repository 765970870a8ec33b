"""A terminal client for Advisory Chat. Each line of the standard input is a question.

    python3 docs/examples/terminal-client.py [ADDRESS]

ADDRESS is the address of a chat route, by default http://localhost:3000/api/chat/demo. Live chat, /api/chat, needs the cookie of
a session: ADVISORY_CHAT_COOKIE='advisory-chat-3000=…', or the whole line 'Cookie: advisory-chat-3000=…'. Replies go to the standard output,
everything else to the standard error. Ctrl-C stops a reply, or ends the program if there is none. Ctrl-D ends it. An empty line
asks the last question again if its turn failed. Requires Python 3.9 or newer.

`npx advisory-chat-client check -- python3 docs/examples/terminal-client.py` checks it. The command sets ADVISORY_CHAT_URL: the address,
which makes the program print the result of each turn as JSON, and ADVISORY_CHAT_CLOCK_SPEED: 20 makes waits and the time limit 20
times shorter.
"""

import codecs
import http.client
import json
import math
import os
import re
import sys
import time
import urllib.parse
import uuid
from email.utils import parsedate_to_datetime

CHECKED_ADDRESS = os.environ.get("ADVISORY_CHAT_URL")
ADDRESS = urllib.parse.urlsplit(CHECKED_ADDRESS or (sys.argv[1:] or ["http://localhost:3000/api/chat/demo"])[0])
COOKIE_LINE = os.environ.get("ADVISORY_CHAT_COOKIE", "")
COOKIE = {"Cookie": re.sub("^cookie: *", "", COOKIE_LINE, flags=re.IGNORECASE)} if COOKIE_LINE else {}
CLOCK_SPEED = float(os.environ.get("ADVISORY_CHAT_CLOCK_SPEED", "1"))

TIMEOUT_SECONDS = 120  # without a byte; the service ends a turn after a minute without data from the model

# docs:python-retries
# The retry table: the number of attempts, and the waits in seconds after the first, second … failure with this code.
# None stands for the seconds of `Retry-After`.
RULES = {
    "INVALID_JSON": (1, ()),
    "MISSING_MESSAGES": (1, ()),
    "LAST_MESSAGE_NOT_USER": (1, ()),
    "UNAUTHENTICATED": (1, ()),
    "NOT_ONBOARDED": (1, ()),
    "RATE_LIMITED": (5, None),
    "UPSTREAM_OVERLOADED": (5, (1, 2, 4, 8)),
    "UPSTREAM_AUTH": (1, ()),
    "UPSTREAM_BAD_REQUEST": (1, ()),
    "UPSTREAM_ERROR": (2, (1,)),
    "INTERNAL": (1, ()),
}
MOST_ATTEMPTS = 5  # of a turn, with any mixture of failures
LONGEST_WAIT_SECONDS = 60  # With a longer `Retry-After` the user decides.
LONGEST_RETRY_AFTER_SECONDS = 90000  # A longer one counts as missing.

# A body without a code of the table comes from a proxy. These statuses have the same meaning from any sender.
CODES = {429: "RATE_LIMITED", 502: "UPSTREAM_ERROR", 503: "UPSTREAM_OVERLOADED"}

# Ends a reply that failed after its first text, and is not part of its text.
ERROR_LINE = "\n\n[UPSTREAM_ERROR: The model could not finish the reply.]"
# /docs

HTTP_DATE = re.compile(r"[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT")


class Failed(Exception):
    """An attempt that ended with an error response. `code` is None if it must not be retried."""

    def __init__(self, sentence, code=None, retry_after=None):
        super().__init__(sentence)
        self.code, self.retry_after = code, retry_after


class Turn:
    def __init__(self, question, request_id):
        self.question, self.request_id, self.reply, self.is_done = question, request_id, "", False


def next_delay(failures):
    """Returns the seconds to wait before the next attempt, given all failures of the turn, or None to stop."""
    latest = failures[-1]
    attempts, delays = RULES.get(latest.code, (1, ()))
    count = sum(failure.code == latest.code for failure in failures)
    if len(failures) >= MOST_ATTEMPTS or count >= attempts:
        return None
    delay = latest.retry_after if delays is None else delays[count - 1]
    return None if delay is None or delay > LONGEST_WAIT_SECONDS else delay


def read_failure(response):
    """Reads the error of a response whose status is not 200."""
    try:
        body = response.read()
    except (OSError, http.client.HTTPException):
        body = b""  # The status still tells what failed.
    # A redirect or another success has no code, whatever its body.
    named = re.match(r"([A-Z_]+): (.*)", body.decode("utf-8", "replace")) if response.status >= 400 else None
    code, sentence = named.groups() if named else (None, f"The service answered with status {response.status}.")
    return Failed(
        sentence,
        code if code in RULES else CODES.get(response.status),
        read_retry_after(response.headers) if response.status == 429 else None,
    )


def read_retry_after(headers):
    """Returns the wait in whole seconds, at least 1, or None. The service sends an integer; a proxy can send a fraction or an HTTP date."""
    value = headers.get("Retry-After", "")
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", value):
        seconds = float(value)
    elif HTTP_DATE.fullmatch(value):
        # The clock of this machine can be wrong, so a date is compared with the `Date` of the response.
        try:
            seconds = (parsedate_to_datetime(value) - parsedate_to_datetime(headers.get("Date", ""))).total_seconds()
        except (TypeError, ValueError):
            return None
    else:
        return None
    return max(1, math.ceil(seconds)) if seconds <= LONGEST_RETRY_AFTER_SECONDS else None


def shown_length(text):
    """Returns the length of `text` without an end that could be the start of the error line."""
    sizes = range(min(len(text), len(ERROR_LINE)), 0, -1)
    return len(text) - next((size for size in sizes if ERROR_LINE.startswith(text[-size:])), 0)


def printable(text):
    """Escapes control characters, except tabs and line feeds: they could change the terminal or what it shows."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", lambda match: f"\\x{ord(match[0]):02x}", text)


def note(text):
    print(printable(text), file=sys.stderr, flush=True)


class Conversation:
    def __init__(self):
        self.id, self.turns = None, []

    def send(self, turn):
        """Makes one attempt and prints the reply while it streams. Raises Failed or an error of the connection."""
        # Omits questions without a reply, because they could make the next turn fail as well. A blank reply counts as none.
        said = [pair for t in self.turns if t.reply.strip() for pair in (("user", t.question), ("assistant", t.reply))]
        messages = [{"role": role, "content": text} for role, text in [*said, ("user", turn.question)]]
        body = {"messages": messages, **({"conversationId": self.id} if self.id else {})}
        headers = {"Content-Type": "application/json", "X-Request-Id": turn.request_id, **COOKIE}
        connect = http.client.HTTPSConnection if ADDRESS.scheme == "https" else http.client.HTTPConnection
        connection = connect(ADDRESS.netloc, timeout=TIMEOUT_SECONDS / CLOCK_SPEED)
        try:
            connection.request("POST", ADDRESS.path, json.dumps(body), headers)
            response = connection.getresponse()
            self.id = response.headers.get("X-Conversation-Id", self.id)  # also sent with some errors
            if response.status != 200:
                raise read_failure(response)
            if response.headers.get_content_type() != "text/plain" or "Content-Type" not in response.headers:
                raise Failed("The service answered with an unexpected response.")
            decoder, held = codecs.getincrementaldecoder("utf-8")("replace"), ""  # networks can split characters
            while data := response.read1(65536):
                held += decoder.decode(data)
                held = self.show(turn, held, shown_length(held))
            if held == ERROR_LINE:
                raise Failed("The model could not finish the reply.")
            self.show(turn, held, len(held))
            turn.is_done = True
        finally:
            connection.close()

    def show(self, turn, text, length):
        turn.reply += text[:length]  # stored first, so that an interrupt cannot lose printed text
        if CHECKED_ADDRESS is None:
            print(printable(text[:length]), end="", flush=True)
        return text[length:]

    def ask(self, turn):
        """Sends a turn with retries. Returns a note for the person, or None if the reply is complete and not empty."""
        failures = []
        while True:
            try:
                self.send(turn)
                return None if turn.reply.strip() else "The reply is empty."
            except Failed as failure:
                failures.append(failure)
            except (OSError, http.client.HTTPException):
                return f"The connection broke. (request {turn.request_id})"
            delay = next_delay(failures)
            if delay is None:
                return f"{failures[-1]} (request {turn.request_id})"
            note(f"{failures[-1]} Trying again in {delay} s.")
            time.sleep(delay / CLOCK_SPEED)


conversation = Conversation()
for question in map(str.strip, sys.stdin):
    turn = Turn(question, str(uuid.uuid4()))
    if question == "":
        if not conversation.turns or conversation.turns[-1].is_done:
            continue
        last = conversation.turns.pop()
        # With the same id, the service recognizes the stored question.
        turn = Turn(last.question, last.request_id)
    try:
        ending = conversation.ask(turn)
    except KeyboardInterrupt:
        ending = "Stopped."
    conversation.turns.append(turn)
    if CHECKED_ADDRESS is not None:
        print(json.dumps({"reply": turn.reply, "complete": turn.is_done}), flush=True)
    elif turn.reply:
        print(flush=True)
    if ending is not None:
        note(ending)
