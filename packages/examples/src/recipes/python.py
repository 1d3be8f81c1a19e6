# # Call an agent from Python
# Pages and servers
#
# The package `svc-runtime` needs nothing but Python 3.11. Runs, streams and resources have the names of the client of
# TypeScript.
#
# Try:
#   npm run node -- packages/examples/src/recipes/limits.ts
#   PYTHONPATH=clients/python python3 packages/examples/src/recipes/python.py
#
# Change: `AsyncSvc` has the same methods for asyncio.
import os

from svc_runtime import Svc

svc = Svc(os.environ.get("SVC_URL", "http://127.0.0.1:7777"))
agent = svc.agent("assistant")

run = agent.run("Hello", session_id="python")
print(run["status"], run["content"])

for text in agent.text("And again", session_id="python"):
    print(text, end="", flush=True)
