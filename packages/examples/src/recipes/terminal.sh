# # Approve from the terminal
# People
#
# `svc approvals` lists the calls that wait for a decision, and decides them. The run continues without another command.
#
# Try:
#   npm run node -- packages/examples/src/recipes/refund.ts
#   sh packages/examples/src/recipes/terminal.sh
#
# Change: `svc approvals reject ID --note TEXT` tells the model why a call is not made.
set -eu

# A run in a script ends with 3 if it waits for a decision.
svc run clerk "Refund order 17" --session refunds || test $? = 3

id=$(svc approvals list --json | sed -n 's/.*"id": *"\([^"]*\)".*/\1/p' | head -n 1)
svc approvals approve "$id"
svc runs list --session refunds
