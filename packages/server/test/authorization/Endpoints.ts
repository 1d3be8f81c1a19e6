// The endpoints of the API, each with a request, and whose data it touches.
import { endpoints as checked } from "@svc-runtime/test-support/endpoints/AllEndpoints"
import {
  type CheckedEndpoint,
  isolation,
  type Request,
  type Subject
} from "@svc-runtime/test-support/endpoints/Checked"

export type { Request, Subject }

export interface Endpoint extends CheckedEndpoint {
  /** Whether the request names a session, a run, a memory or a learning, which has an owner. */
  readonly isOwned: boolean
  /** Whether the request names a user, and is about what is known of that user. */
  readonly isAboutUser: boolean
}

const owned =
  /^(GET|POST|PATCH|DELETE) \/(sessions|memories|learnings\/:learning_id|(agents|teams|workflows)\/:[a-z_]+\/(runs|sessions))/

const aboutUser =
  /^[A-Z]+ \/((memories|learnings)$|memory_topics|user_memory_stats|optimize-memories|learnings\/users|users\/)/

/** An endpoint that names `Isolation.test.ts` is about data of an owner, about a user, or both. */
export const endpoints: ReadonlyArray<Endpoint> = checked.map((endpoint) => {
  const isChecked = endpoint.owners === isolation
  return {
    ...endpoint,
    isOwned: isChecked && owned.test(endpoint.route),
    isAboutUser: isChecked && aboutUser.test(endpoint.route)
  }
})

/** Whether the features of the list have a route, such as `POST /datasets`. */
export const isServed = (route: string): boolean => endpoints.some((endpoint) => endpoint.route === route)
