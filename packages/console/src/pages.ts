// The pages of the console: where they are in the sidebar, and what they require. The service decides what a caller may
// read; the console only leaves out what would be refused.
import {
  Activity,
  BookOpen,
  Bot,
  CalendarClock,
  ChartColumn,
  ClipboardCheck,
  Database,
  FlaskConical,
  GraduationCap,
  type IconNode,
  Inbox,
  KeyRound,
  ListTree,
  MessageSquare,
  MessagesSquare,
  NotebookPen,
  ScrollText,
  Server,
  SlidersHorizontal,
  Users,
  Waypoints,
  Webhook
} from "lucide"

export interface PageEntry {
  readonly path: string
  readonly title: string
  readonly icon: IconNode
  /** What the caller must be allowed to do. Left out: everyone who may open the console. */
  readonly scope?: string
  /** The feature of the service that the page is about. Left out: each service has it. */
  readonly feature?: string
  /** The key after `g` that opens it. */
  readonly key?: string
}

export interface Group {
  /** Left out: the first group needs no title. */
  readonly title?: string
  readonly pages: ReadonlyArray<PageEntry>
}

export const groups: ReadonlyArray<Group> = [
  {
    pages: [
      { path: "chat", title: "Chat", icon: MessageSquare, key: "c" },
      { path: "approvals", title: "Approvals", icon: Inbox, scope: "approvals:read", key: "a" },
      { path: "workflows", title: "Workflows", icon: Waypoints, scope: "workflows:read", key: "w" }
    ]
  },
  {
    title: "Observe",
    pages: [
      { path: "runs", title: "Runs", icon: Activity, scope: "sessions:read", key: "r" },
      { path: "traces", title: "Traces", icon: ListTree, scope: "traces:read", feature: "traces", key: "t" },
      { path: "metrics", title: "Metrics", icon: ChartColumn, scope: "metrics:read", feature: "metrics", key: "m" }
    ]
  },
  {
    title: "Improve",
    pages: [
      {
        path: "playground",
        title: "Playground",
        icon: SlidersHorizontal,
        scope: "components:read",
        feature: "components",
        key: "p"
      },
      { path: "components", title: "Components", icon: Bot, scope: "components:read", feature: "components" },
      { path: "datasets", title: "Datasets", icon: Database, scope: "evals:read", feature: "evaluation" },
      { path: "experiments", title: "Experiments", icon: FlaskConical, scope: "evals:read", feature: "evaluation" },
      { path: "evaluations", title: "Evaluations", icon: ClipboardCheck, scope: "evals:read", feature: "evaluation" }
    ]
  },
  {
    title: "Knowledge",
    pages: [
      {
        path: "knowledge",
        title: "Knowledge",
        icon: BookOpen,
        scope: "knowledge:read",
        feature: "knowledge",
        key: "k"
      },
      { path: "memories", title: "Memories", icon: NotebookPen, scope: "memories:read", feature: "memory" },
      { path: "learnings", title: "Learnings", icon: GraduationCap, scope: "learnings:read", feature: "learning" }
    ]
  },
  {
    title: "Operate",
    pages: [
      { path: "schedules", title: "Schedules", icon: CalendarClock, scope: "schedules:read", feature: "schedules" },
      { path: "webhooks", title: "Webhooks", icon: Webhook, scope: "webhooks:read", feature: "webhooks" },
      { path: "channels", title: "Channels", icon: MessagesSquare, feature: "channels" },
      { path: "accounts", title: "Service accounts", icon: KeyRound, scope: "service_accounts:read" },
      { path: "roles", title: "Roles", icon: Users, scope: "roles:read", feature: "roles" },
      { path: "audit", title: "Audit log", icon: ScrollText, scope: "audit:read", feature: "audit" },
      { path: "system", title: "System", icon: Server, key: "s" }
    ]
  }
]

const byPath = new Map(groups.flatMap(({ pages }) => pages.map((page) => [page.path, page] as const)))

export const pageAt = (path: string): PageEntry | undefined => byPath.get(path)

export const allPages: ReadonlyArray<PageEntry> = [...byPath.values()]
