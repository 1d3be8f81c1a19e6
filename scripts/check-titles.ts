// Refuses titles of tests that are not sentences: a title has a subject and a verb, and at least four words. A title with
// placeholders counts each of them as a word.
import { report, sourceFiles } from "./Problems.ts"
import { testTitles } from "./TestTitles.ts"

const sources = [
  "packages/*/{test,chaos}/**/*.ts",
  "packages/features/src/*/test/**/*.ts",
  "packages/features/src/webhooks/test/**/*.ts"
]

/** Words with which a title begins that leaves its subject to the `describe` around it. */
const subjectless = new Set(
  `it its they their one is are was were has have had does do did can cannot may must will never also that who whose
  which because and or but of by to with from accepts adds allows answers applies asks begins belongs cancels
  carries checks closes comes completes contains continues copies counts creates decides declares decodes describes
  does drops ends executes expires fails fills finds follows forgets gets gives goes hands hides holds ignores keeps
  knows lasts leaves lets lives looks loses makes means mints needs opens passes pauses prints puts reads refuses
  rejects releases remembers removes repeats replaces reports requires resolves resumes returns revokes says sees
  sends serves shares shows sorts starts stays stops stores streams takes tells tries understands uses waits wakes
  works writes`.split(/\s+/)
)

const verb =
  /^(is|are|was|were|has|have|had|does|do|can|cannot|may|must|will|never|[a-z]{2,}s|[a-z]{2,}(ed|en)|begin|come|continue|decode|execute|fail|fit|get|give|keep|make|match|need|reach|run|see|share|show|start|stay|stop|take|use|wait|win|work)$/

/** Words that the project does not use in titles; scripts/check-words.ts has those that it uses nowhere. */
const privateWords = /\b(whomever|whoever|anybody|everybody|somebody|nobody|kept apart|in words)\b/

const problemOf = (title: string): string | undefined => {
  const words = title.replaceAll(/\$\{[^}]*\}/g, "%s").split(/\s+/)
  const [first = "", ...others] = words.map((word) => word.toLowerCase().replaceAll(/[^\w%'-]/g, ""))
  if (words.length < 4) return "has fewer than four words"
  if (subjectless.has(first)) return `begins with "${first}" and has no subject`
  if (!others.some((word) => verb.test(word))) return "has no verb"
  const found = privateWords.exec(title)?.[0]
  return found === undefined ? undefined : `says "${found}"`
}

const problems = sourceFiles(sources).flatMap(({ name, text }) =>
  testTitles(text).flatMap(({ line, text: title }) => {
    const problem = problemOf(title)
    return problem === undefined ? [] : [`${name}:${line} "${title}" ${problem}`]
  })
)

report(problems, "A title is a sentence that states the rule.")
