// The words of names, descriptions and questions, as they are compared: small letters, without endings.

/** `createIssue`, `create_issue` and `create-issue` have two words each. */
const parts = /\p{Lu}{2,}s?(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+(?!\p{Ll})|[\p{Lo}\p{Lm}]+|\p{N}+/gu

/** Words that nearly every text has. */
const common = new Set(
  ("a about after all also am an and any are as at be been before but by can could did do does for from had has have " +
    "he her his how i if in into is it its me my no not of on or our out she should so than that the their them then " +
    "there these they this those to too us was we were what when where which who why will with would yet you your")
    .split(" ")
)

/** An ending, what is there instead, and the letters that stay at least. */
const endings: ReadonlyArray<readonly [RegExp, string, number]> = [
  [/ies$/, "y", 3],
  [/(ss|x|ch|sh)es$/, "$1", 3],
  [/([^su])s$/, "$1", 2],
  [/(?:at)?ions?$/, "", 3],
  // the vowel is looked for at the end only: at each letter, a long word would take its square
  [/ing$(?<=[aeiouy].*ing)/, "", 3],
  [/ed$(?<=[aeiouy].*ed)/, "", 3]
]

/** A word without its ending. Words that are cut too far are alike only by chance. */
const stem = (word: string): string => {
  let stemmed = word
  for (const [ending, instead, least] of endings) {
    const shorter = stemmed.replace(ending, instead)
    if (shorter.length >= least) stemmed = shorter
  }
  if (stemmed !== word && /([bdgmnprt])\1$/.test(stemmed)) stemmed = stemmed.slice(0, -1)
  return stemmed.length > 3 ? stemmed.replace(/(?<=[^aeiou])e$|(?<=[iu])e$/, "") : stemmed
}

/** The words of a text, in order, of at most so many characters of it. */
export const of = (text: string, limit = 2000): ReadonlyArray<string> => {
  const words: Array<string> = []
  for (const [part] of text.slice(0, limit).matchAll(parts)) {
    const word = part.toLowerCase()
    if (!common.has(word)) words.push(stem(word))
  }
  return words
}

// People say what they want in other words than APIs do. A word can be in several groups.
const groups: ReadonlyArray<string> = [
  "create make made add new open opened insert write written file compose draft prepare build produce set put setup",
  "delete deleted remove erase drop trash discard clear throw thrown bin purge wipe destroy",
  "get read fetch retrieve show see view look download display describe detail content give tell say check inspect",
  "list show all every overview which what history many see",
  "search find found query look lookup discover locate match many",
  "update edit change modify fix correct adjust patch rename alter revise rewrite amend switch turn",
  "send sent post tell write notify deliver say submit publish announce inform let know message ping",
  "reply answer respond response react",
  "cancel stop end abort terminate kill quit unsubscribe disable off",
  "start run trigger launch begin execute kick",
  "restore recover undo revert rollback roll back undelete",
  "share access permission permit allow grant invite right privilege let see open",
  "revoke remove withdraw forbid deny lock unshare",
  "move transfer relocate shift put",
  "copy duplicate clone fork replicate",
  "merge join combine unite consolidate squash same",
  "schedule plan later time date tomorrow",
  "postpone delay reschedule shift later update change time",
  "assign delegate hand give pass forward owner responsible",
  "forward pass",
  "close resolve solve finish complete done fixed",
  "escalate urgent tier higher",
  "upload attach attachment add",
  "export download save dump csv backup",
  "book reserve reservation",
  "accept decline reject refuse confirm invitation response attend",
  "email mail letter inbox mailbox",
  "message chat dm text talk write conversation",
  "channel room group chat",
  "meeting event appointment calendar invitation call session",
  "person people user member customer client contact attendee colleague guest who everyone team",
  "issue bug problem defect",
  "ticket case request support complaint",
  "repository repo code source project",
  "pull pr review diff change",
  "pipeline workflow build ci action job",
  "security vulnerability scan alert",
  "document page file wiki note article",
  "folder directory",
  "invoice bill charge",
  "pay payment money fund amount price cost fee",
  "refund money reimburse back return",
  "dispute chargeback claim evidence proof reverse",
  "plan subscription membership",
  "available availability free slot busy",
  "error warning failure fail crash log output stack trace",
  "size big large small space storage quota long disk",
  "memory cpu usage consumption resource consume use load top",
  "slow slowest performance latency explain fast why",
  "scale replica instance more",
  "version revision history earlier previous older before old ago",
  "weekly daily monthly yearly recurring repeat every recurrence",
  "comment remark note feedback annotation",
  "column field type schema structure describe",
  "row record entry item",
  "value cell",
  "automatic automatically auto rule filter",
  "discount coupon percent voucher",
  "vacation holiday absence away leave office",
  "image picture photo",
  "phone telephone mobile",
  "location place where address",
  "deploy deployment release publish ship",
  "queue backlog wait waiting",
  "rating satisfaction satisfied happy survey score feedback",
  "maintenance drain cordon service",
  "today now current recent latest",
  "status state",
  "topic subject title headline",
  "label tag mark",
  "emoji reaction thumbs smile like",
  "count number many much statistics metric",
  "help knowledge faq article",
  "company account organization workspace",
  "bank payout"
]

const alike = new Map<string, Set<string>>()

for (const group of groups) {
  const words = group.split(" ").map(stem)
  for (const word of words) {
    const others = alike.get(word) ?? new Set()
    for (const other of words) if (other !== word) others.add(other)
    alike.set(word, others)
  }
}

/** Other words for a word. */
export const alikeOf = (word: string): Iterable<string> => alike.get(word) ?? []
