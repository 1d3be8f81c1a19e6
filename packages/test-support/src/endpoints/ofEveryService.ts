// The endpoints that every service has, whatever its features are.
import { checked, isolation } from "./Checked.ts"

export const ofEveryService = [
  ...checked("about the service", {
    "none": {
      "GET /": {},
      "GET /health": {},
      "GET /ready": {},
      "GET /info": {},
      "GET /caller": {}
    },
    "config:read": {
      "GET /config": {},
      "GET /models": {},
      "GET /databases/:db_id/migrations": { path: "/databases/main-db/migrations" }
    },
    "metrics:read": {
      "GET /nodes": { also: ["metrics:scrape"] },
      "GET /metrics/prometheus": { also: ["metrics:scrape"] }
    },
    "config:write": {
      "POST /databases/all/migrate": {},
      "POST /databases/:db_id/migrate": { path: "/databases/main-db/migrate" }
    }
  }),
  ...checked("about components", {
    "agents:read": {
      "GET /agents": {},
      "GET /agents/:agent_id": ({ agent }) => ({ path: `/agents/${agent}` })
    },
    "teams:read": {
      "GET /teams": {},
      "GET /teams/:team_id": { path: "/teams/desk" }
    },
    "workflows:read": {
      "GET /workflows": {},
      "GET /workflows/:workflow_id": { path: "/workflows/brief" }
    }
  }),
  ...checked("shared by all callers", {
    "agents:write": {
      "POST /agents": () => ({ json: { name: crypto.randomUUID() } }),
      "PATCH /agents/:agent_id": ({ agent }) => ({ path: `/agents/${agent}`, json: { name: "a" } })
    },
    "agents:delete": {
      "DELETE /agents/:agent_id": ({ agent }) => ({ path: `/agents/${agent}` })
    },
    "teams:write": {
      "POST /teams": () => ({ json: { name: crypto.randomUUID() } }),
      "PATCH /teams/:team_id": { path: "/teams/desk", json: { name: "a" } }
    },
    "teams:delete": {
      "DELETE /teams/:team_id": { path: "/teams/desk" }
    },
    "workflows:write": {
      "POST /workflows": () => ({ json: { name: crypto.randomUUID() } }),
      "PATCH /workflows/:workflow_id": { path: "/workflows/brief", json: { name: "a" } }
    },
    "workflows:delete": {
      "DELETE /workflows/:workflow_id": { path: "/workflows/brief" }
    }
  }),
  ...checked(isolation, {
    "agents:run": {
      "POST /agents/:agent_id/runs": ({ agent, session }) => ({
        path: `/agents/${agent}/runs`,
        form: { message: "hi", stream: "false", session_id: session, user_id: "ann", run_id: "new-run" }
      }),
      "POST /agents/:agent_id/sessions/:session_id/fork": ({ agent, session }) => ({
        path: `/agents/${agent}/sessions/${session}/fork`
      }),
      "POST /agents/:agent_id/runs/:run_id/resume": ({ agent, run, session }) => ({
        path: `/agents/${agent}/runs/${run}/resume`,
        form: { session_id: session }
      }),
      // a run that has ended is continued in a new one
      "POST /agents/:agent_id/runs/:run_id/continue": ({ agent, run, session }) => ({
        path: `/agents/${agent}/runs/${run}/continue`,
        form: { session_id: session, stream: "false" }
      }),
      "POST /agents/:agent_id/runs/:run_id/cancel": ({ agent, session, run }) => ({
        path: `/agents/${agent}/runs/${run}/cancel?session_id=${session}`
      })
    },
    "agents:read": {
      "GET /agents/:agent_id/runs": ({ agent, session }) => ({ path: `/agents/${agent}/runs?session_id=${session}` }),
      "GET /agents/:agent_id/runs/:run_id": ({ agent, session, run }) => ({
        path: `/agents/${agent}/runs/${run}?session_id=${session}`
      }),
      "GET /agents/:agent_id/runs/:run_id/checkpoints": ({ agent, session, run }) => ({
        path: `/agents/${agent}/runs/${run}/checkpoints?session_id=${session}`
      }),
      "GET /agents/:agent_id/runs/:run_id/checkpoints/:message_index": ({ agent, session, run }) => ({
        path: `/agents/${agent}/runs/${run}/checkpoints/0?session_id=${session}`
      }),
      "GET /agents/:agent_id/runs/:run_id/events": ({ agent, session, run }) => ({
        path: `/agents/${agent}/runs/${run}/events?session_id=${session}`
      })
    },
    "teams:run": {
      "POST /teams/:team_id/runs": ({ session }) => ({
        path: "/teams/desk/runs",
        form: { message: "hi", stream: "false", session_id: `${session}-team`, user_id: "ann", run_id: "new-team-run" }
      }),
      "POST /teams/:team_id/sessions/:session_id/fork": ({ session }) => ({
        path: `/teams/desk/sessions/${session}-team/fork`
      }),
      "POST /teams/:team_id/runs/:run_id/resume": ({ run, session }) => ({
        path: `/teams/desk/runs/${run}-team/resume`,
        form: { session_id: `${session}-team` }
      }),
      "POST /teams/:team_id/runs/:run_id/continue": ({ run, session }) => ({
        path: `/teams/desk/runs/${run}-team/continue`,
        form: { session_id: `${session}-team`, stream: "false" }
      }),
      "POST /teams/:team_id/runs/:run_id/cancel": ({ session, run }) => ({
        path: `/teams/desk/runs/${run}-team/cancel?session_id=${session}-team`
      })
    },
    "teams:read": {
      "GET /teams/:team_id/runs": ({ session }) => ({ path: `/teams/desk/runs?session_id=${session}-team` }),
      "GET /teams/:team_id/runs/:run_id": ({ session, run }) => ({
        path: `/teams/desk/runs/${run}-team?session_id=${session}-team`
      }),
      "GET /teams/:team_id/runs/:run_id/checkpoints": ({ session, run }) => ({
        path: `/teams/desk/runs/${run}-team/checkpoints?session_id=${session}-team`
      }),
      "GET /teams/:team_id/runs/:run_id/checkpoints/:message_index": ({ session, run }) => ({
        path: `/teams/desk/runs/${run}-team/checkpoints/0?session_id=${session}-team`
      }),
      "GET /teams/:team_id/runs/:run_id/events": ({ session, run }) => ({
        path: `/teams/desk/runs/${run}-team/events?session_id=${session}-team`
      })
    },
    "workflows:run": {
      "POST /workflows/:workflow_id/runs": ({ session }) => ({
        path: "/workflows/brief/runs",
        form: { message: "hi", stream: "false", session_id: `${session}-flow`, user_id: "ann", run_id: "new-flow" }
      }),
      "POST /workflows/:workflow_id/runs/:run_id/resume": ({ run, session }) => ({
        path: `/workflows/brief/runs/${run}-flow/resume`,
        form: { session_id: `${session}-flow` }
      }),
      "POST /workflows/:workflow_id/runs/:run_id/continue": ({ run, session }) => ({
        path: `/workflows/brief/runs/${run}-flow/continue`,
        form: { session_id: `${session}-flow`, stream: "false" }
      }),
      "POST /workflows/:workflow_id/runs/:run_id/cancel": ({ session, run }) => ({
        path: `/workflows/brief/runs/${run}-flow/cancel?session_id=${session}-flow`
      })
    },
    "workflows:read": {
      "GET /workflows/:workflow_id/runs": ({ session }) => ({
        path: `/workflows/brief/runs?session_id=${session}-flow`
      }),
      "GET /workflows/:workflow_id/runs/:run_id": ({ session, run }) => ({
        path: `/workflows/brief/runs/${run}-flow?session_id=${session}-flow`
      }),
      "GET /workflows/:workflow_id/runs/:run_id/events": ({ session, run }) => ({
        path: `/workflows/brief/runs/${run}-flow/events?session_id=${session}-flow`
      })
    },
    "sessions:read": {
      "GET /sessions": { path: "/sessions?user_id=ann" },
      "GET /sessions/:session_id": ({ session }) => ({ path: `/sessions/${session}?user_id=ann` }),
      "GET /sessions/:session_id/runs": ({ session }) => ({ path: `/sessions/${session}/runs?user_id=ann` }),
      "GET /sessions/:session_id/runs/:run_id": ({ session, run }) => ({
        path: `/sessions/${session}/runs/${run}?user_id=ann`
      })
    },
    "sessions:write": {
      "POST /sessions": { json: { session_id: "new-session", session_name: "New", user_id: "ann" } },
      "POST /sessions/:session_id/rename": ({ session }) => ({
        path: `/sessions/${session}/rename?user_id=ann`,
        json: { session_name: "Renamed" }
      }),
      "PATCH /sessions/:session_id": ({ session }) => ({
        path: `/sessions/${session}?user_id=ann`,
        json: { metadata: { changed: true } }
      })
    },
    "sessions:delete": {
      "DELETE /sessions/:session_id": ({ session }) => ({ path: `/sessions/${session}?user_id=ann` }),
      "DELETE /sessions": ({ session }) => ({
        path: "/sessions?user_id=ann",
        json: { session_ids: [session], session_types: ["agent"] }
      })
    }
  }),
  ...checked("server/test/wire/AllRuns.test.ts", {
    "sessions:read": {
      "GET /runs": { path: "/runs?user_id=ann" }
    }
  }),
  ...checked("for admins", {
    "service_accounts:write": {
      "POST /service-accounts": { json: { name: "bot", scopes: [] } }
    },
    "service_accounts:read": {
      "GET /service-accounts": {}
    },
    "service_accounts:delete": {
      "DELETE /service-accounts/:service_account_id": ({ account }) => ({ path: `/service-accounts/${account}` })
    }
  }),
  ...checked("server/test/authorization/Approvals.test.ts", {
    "approvals:read": {
      "GET /approvals": { path: "/approvals?user_id=ann" },
      "GET /approvals/count": { path: "/approvals/count?user_id=ann" },
      "GET /approvals/:approval_id": ({ approval }) => ({ path: `/approvals/${approval}` }),
      "GET /approvals/:approval_id/status": ({ approval }) => ({ path: `/approvals/${approval}/status` })
    },
    "approvals:write": {
      "POST /approvals/:approval_id/resolve": ({ approval }) => ({
        path: `/approvals/${approval}/resolve`,
        json: { status: "approved", resolved_by: "ann" }
      })
    },
    "approvals:delete": {
      "DELETE /approvals/:approval_id": ({ approval }) => ({ path: `/approvals/${approval}` })
    }
  })
]
