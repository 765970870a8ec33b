#!/usr/bin/env bash
# A client in a shell with curl. It follows the guide to the interface, so that the cases are known to need nothing that only some
# languages have.
set -u
LC_ALL=C

declare -A attempts=([RATE_LIMITED]=5 [UPSTREAM_OVERLOADED]=5 [UPSTREAM_ERROR]=2)
for code in INVALID_JSON MISSING_MESSAGES LAST_MESSAGE_NOT_USER UNAUTHENTICATED NOT_ONBOARDED UPSTREAM_AUTH \
  UPSTREAM_BAD_REQUEST INTERNAL; do
  attempts[$code]=1
done
declare -A waits=([UPSTREAM_OVERLOADED]='1 2 4 8' [UPSTREAM_ERROR]='1')
declare -A codes=([429]=RATE_LIMITED [502]=UPSTREAM_ERROR [503]=UPSTREAM_OVERLOADED)
error_line=$'\n\n[UPSTREAM_ERROR: The model could not finish the reply.]'
http_date='^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$'

messages=      # of the turns with a reply, each followed by a comma
conversation=

# Prints seconds on the clock that ADVISORY_CHAT_CLOCK_SPEED makes faster.
real() {
  local milliseconds=$(($1 * 1000 / ADVISORY_CHAT_CLOCK_SPEED))
  printf '%d.%03d' $((milliseconds / 1000)) $((milliseconds % 1000))
}

quoted() {
  local text=${1//\\/\\\\}
  text=${text//\"/\\\"}
  text=${text//$'\n'/\\n}
  text=${text//$'\r'/\\r}
  printf '"%s"' "${text//$'\t'/\\t}"
}

message() {
  printf '{"role":"%s","content":%s}' "$1" "$(quoted "$2")"
}

header() {
  local line
  while read -r line; do
    line=${line%$'\r'}
    [[ ${line,,} == "${1,,}: "* ]] && printf %s "${line#*: }" && return
  done <<<"$headers"
}

# Sends the question once. Sets `headers`, `status` and `body`. Fails if the connection breaks or falls silent.
request() {
  local byte response='' data
  data="{\"messages\":[$messages$(message user "$question")]${conversation:+,\"conversationId\":\"$conversation\"}}"
  exec 3< <(exec curl --silent --no-buffer --include --data-binary "$data" \
    --header 'Content-Type: application/json' --header "X-Request-Id: $id" "$ADVISORY_CHAT_URL")
  local curl=$! outcome=0 limit
  limit=$(real 120)
  while IFS= read -r -d '' -n 1 -t "$limit" -u 3 byte || ! outcome=$?; do response+=$byte; done
  # `read` fails with 1 at the end, and with a status above 128 when the time is over.
  if [ $outcome -gt 128 ]; then kill "$curl"; fi
  wait "$curl"
  outcome=$?
  exec 3<&-
  headers=${response%%$'\r\n\r\n'*} body=${response#*$'\r\n\r\n'}
  status=${headers#HTTP/* } status=${status%%[!0-9]*}
  conversation=$(header X-Conversation-Id | grep . || printf %s "$conversation")
  return $outcome
}

# Prints `Retry-After` in whole seconds, or nothing if it counts as missing.
retry_after() {
  local value seconds
  value=$(header Retry-After)
  if [[ $value =~ ^[0-9]{1,9}(\.[0-9]+)?$ ]]; then
    seconds=$((10#${value%.*}))
    [[ $value == *.*[1-9]* ]] && seconds=$((seconds + 1))
  elif [[ $value =~ $http_date ]]; then
    seconds=$(($(date -d "$value" +%s) - $(date -d "$(header Date)" +%s)))
  else
    return
  fi
  [ "$seconds" -gt 90000 ] || printf %d $((seconds < 1 ? 1 : seconds))
}

# Sets `reply` and `complete`.
ask() {
  local -A count=()
  local total=0 code wait
  while true; do
    reply='' complete=false
    local is_whole=true
    request || is_whole=false
    if [[ $status == 200 ]]; then
      [[ "$(header Content-Type)" =~ ^[Tt][Ee][Xx][Tt]/[Pp][Ll][Aa][Ii][Nn]\ *(;|$) ]] || return
      reply=$body complete=$is_whole
      if [[ $complete == true && $reply == *"$error_line" ]]; then reply=${reply%"$error_line"} complete=false; fi
      # Drops an incomplete character, and keeps line ends, which a command substitution would drop.
      reply=$(printf %s "$reply" | iconv -c -f UTF-8 -t UTF-8; printf .)
      reply=${reply%.}
      return
    fi
    [ "${status:-0}" -ge 400 ] || return
    code=${body%%: *}
    [[ $body == *': '* && $code =~ ^[A-Z_]+$ && -v attempts[$code] ]] || code=${codes[$status]:-}
    [ -n "$code" ] || return
    total=$((total + 1)) count[$code]=$((${count[$code]:-0} + 1))
    if [ $total -ge 5 ] || [ "${count[$code]}" -ge "${attempts[$code]}" ]; then return; fi
    if [ "$code" = RATE_LIMITED ]; then
      wait=$([ "$status" = 429 ] && retry_after)
    else
      wait=$(cut -d ' ' -f "${count[$code]}" <<<"${waits[$code]}")
    fi
    [ -n "$wait" ] && [ "$wait" -le 60 ] || return
    sleep "$(real "$wait")"
  done
}

while IFS= read -r line; do
  if [ -n "$line" ]; then question=$line id=$(</proc/sys/kernel/random/uuid); fi
  ask
  # Only a blank reply is left out. The last question can be asked again only while it has no reply.
  if [[ $reply =~ [^[:space:]] ]]; then
    messages+="$(message user "$question"),$(message assistant "$reply"),"
  fi
  printf '{"reply":%s,"complete":%s}\n' "$(quoted "$reply")" "$complete"
done
