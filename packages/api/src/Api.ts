// The whole contract.
import { Service } from "@svc/domain"
import { HttpApi, OpenApi } from "effect/http-api"
import { Agents } from "./Agents.ts"
import { Sessions } from "./Sessions.ts"
import { System } from "./System.ts"

export class Api extends HttpApi.make("svc")
  .add(System)
  .add(Agents)
  .add(Sessions)
  .annotateMerge(OpenApi.annotations({
    title: "Svc",
    version: Service.apiVersion,
    description: "A self-hosted runtime service for AI agents, teams and workflows"
  }))
{}
