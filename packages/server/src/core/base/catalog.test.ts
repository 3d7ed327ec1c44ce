import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openCatalog } from '../../compose/billing.ts'
import { readCatalog } from './catalog.ts'

const builtIn = readFileSync(new URL('../../../plans.json', import.meta.url), 'utf8')
const GB = 1024 ** 3

/** The built-in file with something else in one line. */
const changed = (line: number, text: string) =>
  builtIn
    .split('\n')
    .with(line - 1, text)
    .join('\n')
const without = (line: number) =>
  builtIn
    .split('\n')
    .toSpliced(line - 1, 1)
    .join('\n')

describe('the catalog of plans', () => {
  it('has free, pro and business built in, each larger than the one before', () => {
    const plans = [...openCatalog({ plansFile: undefined }).values()]
    expect(plans.map(({ id }) => id)).toEqual(['free', 'pro', 'business'])
    const [free, pro, business] = plans
    expect([free!.priceCents, free!.storedBytes]).toEqual([0, 5 * GB])
    for (const key of ['priceCents', 'projects', 'readyApps', 'bandwidthBytes', 'buildMinutes'] as const) {
      expect(pro![key]).toBeGreaterThan(free![key])
      expect(business![key]).toBeGreaterThan(pro![key])
    }
  })

  it('allows at least 20 projects, 10 domains and 3 orgs for free', () => {
    const free = openCatalog({ plansFile: undefined }).get('free')!
    expect(free.projects).toBeGreaterThanOrEqual(20)
    expect(free.domains).toBeGreaterThanOrEqual(10)
    expect(free.orgs).toBeGreaterThanOrEqual(3)
  })

  it('takes null for no limit, and sizes in bytes or as text', () => {
    const plans = readCatalog(changed(7, '      "projects": null,').replace('"100 GB"', '12345'))
    expect([plans.get('free')!.projects, plans.get('free')!.bandwidthBytes]).toEqual([
      Number.POSITIVE_INFINITY,
      12345,
    ])
  })

  it.each([
    ['an unknown key', changed(7, '      "projcts": 50,'), /^line 7: 'projcts' is not known/],
    ['a missing key', without(7), /^line 3: the plan has no 'projects'/],
    ['a negative amount', changed(7, '      "projects": -1,'), /^line 7: projects must be a whole number/],
    [
      'a fractional amount',
      changed(24, '      "price_cents": 19.99,'),
      /^line 24: price_cents must be a whole/,
    ],
    ['a price below what can be charged', changed(24, '      "price_cents": 49,'), /^line 24: .* 50 to/],
    ['a price of the free plan', changed(6, '      "price_cents": 100,'), /^line 6: .* must be 0/],
    ['an amount that is a text', changed(7, '      "projects": "50",'), /^line 7: projects must be/],
    [
      'a size in an unknown unit',
      changed(12, '      "stored_bytes": "5 PB",'),
      /^line 12: stored_bytes must/,
    ],
    [
      'no free plan',
      builtIn.replace('"id": "free"', '"id": "basic"').replace('_cents": 0', '_cents": 100'),
      /'free'/,
    ],
    [
      'an id that is there twice',
      changed(22, '      "id": "free",').replace('2000,', '0,'),
      /^line 21: .*'free'/,
    ],
    ['a name that is there twice', changed(23, '      "name": "Free",'), /^line 21: .*'Free'/],
    ['a key that is there twice', changed(7, '      "projects": 1, "projects": 2,'), /^line 7: .* twice/],
    [
      'a missing comma',
      changed(7, '      "projects": 50'),
      /^line 8: found "domains" where ',' or '}' belongs/,
    ],
    ['a comma too many', builtIn.replace('200\n    },', '200,\n    },'), /^line 20: found }/],
    ['a file that ends early', builtIn.slice(0, -10), /^line \d+: the file ends/],
    ['an empty file', '', /^line 1: the file ends/],
    ['a list', '[]', /^line 1: the file must be an object/],
    ['something beside the plans', '{ "plans": [],\n "prices": {} }', /^line 2: 'prices' is not known/],
    ['text after the end', `${builtIn}\n{}`, /^line \d+: found { where the end of the file belongs/],
    ['endless brackets', '['.repeat(100_000), /too many brackets/],
  ])('is refused for %s, with the line', (_what, text, words) => {
    expect(() => readCatalog(text)).toThrow(words)
  })

  it('names the setting, the file and the line when it stops the start', () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'svc-plans-'))
    onTestFinished(() => rmSync(dir, { recursive: true }))
    const plansFile = path.join(dir, 'plans.json')
    writeFileSync(plansFile, changed(7, '      "projects": 1.5,'))
    expect(() => openCatalog({ plansFile })).toThrow(
      `SVCD_PLANS_FILE ${plansFile}, line 7: projects must be a whole number of 0 or more or null for no limit`,
    )
    expect(() => openCatalog({ plansFile: path.join(dir, 'none.json') })).toThrow(
      /SVCD_PLANS_FILE .*cannot be read/,
    )
  })
})
