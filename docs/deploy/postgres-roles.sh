#!/usr/bin/env bash
# Creates the database and its three roles, once. PostgreSQL's image runs it when it initializes an empty volume.
#   advisory_chat_tenant  reads and writes the data of one organization; cannot log in
#   advisory_chat_owner   owns the database and changes its schema (DATABASE_MIGRATION_URL)
#   advisory_chat         serves, owns nothing, and can assume the tenant role (DATABASE_URL)
# Requires DATABASE_OWNER_PASSWORD and DATABASE_PASSWORD, or the same names with _FILE for files that contain them.
set -euo pipefail

password() {
  local file=$1_FILE
  if [ -n "${!file:-}" ]; then
    cat "${!file}"
  elif [ -n "${!1:-}" ]; then
    printf '%s' "${!1}"
  else
    echo "$1 or $file must be set." >&2
    return 1
  fi
}

DATABASE_OWNER_PASSWORD=$(password DATABASE_OWNER_PASSWORD)
DATABASE_PASSWORD=$(password DATABASE_PASSWORD)
# psql reads the passwords from the environment, because every user of the machine can read the arguments of a command.
export DATABASE_OWNER_PASSWORD DATABASE_PASSWORD

psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname=postgres <<'SQL'
\getenv owner_password DATABASE_OWNER_PASSWORD
\getenv password DATABASE_PASSWORD

create role advisory_chat_tenant nologin nosuperuser nobypassrls;
create role advisory_chat_owner login nosuperuser nobypassrls nocreaterole nocreatedb password :'owner_password';
-- The role is not inherited, so that the login has the tenant role's privileges only after "set role".
create role advisory_chat login noinherit nosuperuser nobypassrls nocreaterole nocreatedb password :'password';
grant advisory_chat_tenant to advisory_chat_owner;
grant advisory_chat_tenant to advisory_chat;

create database advisory_chat owner advisory_chat_owner;
-- By default every login of the server can connect and create temporary tables.
revoke all on database advisory_chat from public;
grant connect on database advisory_chat to advisory_chat;
SQL
