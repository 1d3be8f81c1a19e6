// The registered teams and team factories, in order. Members need not be registered.
import type * as TeamSchema from "@svc-runtime/domain/Team"
import { Context, Layer, Schema } from "effect"
import * as Registrations from "../component/Registrations.ts"
import type { Team } from "./Team.ts"
import type { TeamFactory } from "./TeamFactory.ts"

export class TeamNotFound extends Schema.TaggedError<TeamNotFound>()("TeamNotFound", { team_id: Schema.String }) {
  override get message() {
    return `Team not found: '${this.team_id}'`
  }
}

export class TeamRegistry extends Context.Service<TeamRegistry, Registrations.Registrations<Team, TeamNotFound>>()(
  "@svc-runtime/agents/team/TeamRegistry"
) {
  static readonly layer = (
    teams: ReadonlyArray<Team | TeamFactory>
  ): Layer.Layer<TeamRegistry, Registrations.DuplicateIds> =>
    Layer.effect(
      TeamRegistry,
      Registrations.make("team", teams, (team_id: TeamSchema.Id) => new TeamNotFound({ team_id }))
    )
}
