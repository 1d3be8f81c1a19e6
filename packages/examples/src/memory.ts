// An assistant that knows its users after a restart. Start it, tell it something about you, stop it, start it again:
//
//   curl localhost:7777/agents/assistant/runs -d stream=false -d user_id=ann -d 'message=My name is Ann. I like tea.'
//   curl localhost:7777/agents/assistant/runs -d stream=false -d user_id=ann -d 'message=What do you know about me?'
import { Agent, serve } from "@svc-runtime/server"

export const assistant = Agent.make({ id: "assistant", memory: true })

if (import.meta.main) serve({ agents: [assistant] })
