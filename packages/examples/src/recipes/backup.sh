# # Back up and restore
# Operation
#
# The data of a service without a PostgreSQL is one directory. Copy it while the service is stopped, and start a service
# with the copy.
#
# Try:
#   sh packages/examples/src/recipes/backup.sh
#
# Change: with a PostgreSQL, use `pg_dump --format=custom`, while the service runs. Restore with all nodes stopped.
set -eu

folder=$(mktemp -d)
script=packages/examples/src/recipes/script.ts

# a script is a service for the time of its run
DATA_DIR="$folder/data" npm run -s node -- $script

cp -R "$folder/data" "$folder/backup"
rm -R "$folder/data"
mv "$folder/backup" "$folder/data"

DATA_DIR="$folder/data" npm run -s node -- $script
rm -R "$folder"
