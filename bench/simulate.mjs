// `node bench/simulate.mjs`: how often the caches of an edge hit, with traffic whose sites follow Zipf's law. The caches and their
// sizes are those of svcd: rows of sites, files in memory, packs on the disk. Nothing is measured here: it counts.
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    sites: { type: 'string', default: '1000000' },
    requests: { type: 'string', default: '1000000' },
    /** Requests per second at this location, for the number of reads of the database and the storage in a second. */
    rate: { type: 'string', default: '2000' },
  },
})
const [sites, requests, rate] = [values.sites, values.requests, values.rate].map(Number)
const files = 20
const fileBytes = 22_000
const MB = 1024 * 1024
const rowsAtMost = 10_000
const memoryBytes = 64 * MB
const diskBytes = 10 * 1024 * MB
/** Half of the requests warm the caches up and are not counted. */
const warmUp = requests / 2

/** Numbers from 0 on, of which the n-th is asked for in proportion to 1 / n^exponent. */
function zipf(count, exponent, random) {
  const sums = new Float64Array(count)
  let sum = 0
  for (let i = 0; i < count; i++) {
    sum += 1 / (i + 1) ** exponent
    sums[i] = sum
  }
  return () => {
    const wanted = random() * sum
    let [low, high] = [0, count - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (sums[middle] < wanted) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** The same numbers in each run (mulberry32). */
function randomFrom(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** What was not asked for the longest time goes first. */
class Cache {
  hits = 0
  asked = 0
  #room
  #known = new Map()

  constructor(room) {
    this.#room = room
  }

  ask(key, weight, isCounted) {
    const isKnown = this.#known.delete(key)
    this.#known.set(key, weight)
    if (isCounted) this.asked++
    if (isCounted && isKnown) this.hits++
    if (!isKnown) this.#room -= weight
    while (this.#room < 0) {
      const [oldest, itsWeight] = this.#known.entries().next().value
      this.#known.delete(oldest)
      this.#room += itsWeight
    }
    return isKnown
  }

  get missed() {
    return this.asked - this.hits
  }
}

function simulate(exponent) {
  const random = randomFrom(1)
  const [site, file] = [zipf(sites, exponent, random), zipf(files, 1, random)]
  const [rows, memory, disk] = [new Cache(rowsAtMost), new Cache(memoryBytes), new Cache(diskBytes)]
  for (let i = 0; i < requests; i++) {
    const isCounted = i >= warmUp
    const [asked, path] = [site(), file()]
    rows.ask(asked, 1, isCounted)
    if (!memory.ask(asked * files + path, fileBytes, isCounted)) disk.ask(asked, files * fileBytes, isCounted)
  }
  const counted = requests - warmUp
  const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`
  const perSecond = missed => Math.round((rate * missed) / counted).toLocaleString('en')
  return `| ${exponent} | ${percent(rows.hits, counted)} | ${percent(memory.hits, counted)} | ${percent(counted - disk.missed, counted)} | ${perSecond(rows.missed)} | ${perSecond(disk.missed)} |`
}

console.log(
  `${sites.toLocaleString('en')} sites of ${files} files, ${rate.toLocaleString('en')} requests/s at a location\n`,
)
console.log(
  '| exponent | rows in memory | files in memory | files in memory or on the disk | reads of the database/s | packs fetched/s |',
)
console.log('|---|---|---|---|---|---|')
for (const exponent of [0.8, 1, 1.2]) console.log(simulate(exponent))
