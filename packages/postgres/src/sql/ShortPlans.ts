// How the database plans short statements. They are long texts with few rows, so planning one costs three times as much
// as executing it. It is planned once per connection, for parameters of any size; sequential scans are avoided, because
// the plan may be older than the data. A page costs the same wherever it is, so that the newest runs of a session are
// read from the end of an index, and not by a bitmap scan of all its runs.
export const settings = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  random_page_cost: "1"
} as const
