// An agent whose runs see nothing of each other: they share a session without taking turns in it.
import { Agent, serve } from "@svc-runtime/server"

serve({ agents: [Agent.make({ id: "plain", name: "Plain", instructions: "Answer briefly and to the point." })] })
