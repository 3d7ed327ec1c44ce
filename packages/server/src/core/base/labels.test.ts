import { createHash } from 'node:crypto'
import { namePattern } from '@svc/contract/limits'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { branchLabel, branchSlug, deploymentLabel, readLabel, siteUrl } from './labels.ts'

const digest = (branch: string) => createHash('sha256').update(branch).digest('hex').slice(0, 6)
const longest = 'a'.repeat(40)

const name = fc.stringMatching(/^[a-z0-9][a-z0-9-]{1,38}[a-z0-9]$/).filter(text => namePattern.test(text))
const branch = fc.oneof(
  fc.string({ minLength: 1, maxLength: 80 }),
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.stringMatching(/^[a-zA-Z0-9/_.-]{1,80}$/),
  fc.stringMatching(/^dep-[a-z0-9]{0,20}$/),
  fc.stringMatching(/^[-_é]{0,3}[xX][nN][-_é]{0,3}$/),
  fc.stringMatching(/^[a-z0-9]{1,3}$/),
  fc.stringMatching(/^(?:[a-z0-9]{1,3}[-/é]{1,3}){1,30}$/),
)
const id = fc.stringMatching(/^dep_[a-z0-9]{16}$/)

describe('the slug of a branch', () => {
  test.each([
    ['main', 'shop', 'main'],
    ['fix-42', 'shop', 'fix-42'],
    ['feature/login', 'shop', `feature-login-${digest('feature/login')}`],
    ['Main', 'shop', `main-${digest('Main')}`],
    ['a--b', 'shop', `a-b-${digest('a--b')}`],
    ['a_/_b', 'shop', `a-b-${digest('a_/_b')}`],
    ['dep-abcdefghijklmnop', 'shop', `dep-abcdefghijklmnop-${digest('dep-abcdefghijklmnop')}`],
    ['dep-', 'shop', `dep-${digest('dep-')}`],
    ['dependencies', 'shop', 'dependencies'],
    ['é', 'shop', `b-${digest('é')}`],
    ['Ünïcödé', 'shop', `n-c-d-${digest('Ünïcödé')}`],
    ['xn', 'shop', `b-xn-${digest('xn')}`],
    ['xna', 'shop', 'xna'],
    ['qa', 'shop', 'qa'],
    ['-x-', 'shop', `x-${digest('-x-')}`],
    [
      `${'b'.repeat(13)}-${'b'.repeat(13)}`,
      longest,
      `${'b'.repeat(13)}-${digest(`${'b'.repeat(13)}-${'b'.repeat(13)}`)}`,
    ],
    ['b'.repeat(21), longest, 'b'.repeat(21)],
    ['b'.repeat(22), longest, `${'b'.repeat(14)}-${digest('b'.repeat(22))}`],
  ])('of %j in %s is %s', (from, project, slug) => {
    expect(branchSlug(from, project)).toBe(slug)
  })

  test('with its project is always one DNS label that reads back as that branch', () => {
    fc.assert(
      fc.property(branch, name, (from, project) => {
        const slug = branchSlug(from, project)
        const label = branchLabel(slug, project)
        expect(label).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/)
        // Reserved labels, of which certificate authorities accept only Punycode.
        expect(label).not.toMatch(/^..--/)
        expect(slug).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
        expect(readLabel(label)).toEqual({ project, which: 'branch', slug })
      }),
    )
  })

  test.each([
    ['é', `--${digest('é')}`],
    ['Ünïcödé', `-n-c-d--${digest('Ünïcödé')}`],
    ['dep-', `dep--${digest('dep-')}`],
    ['xn', 'xn'],
    ['qa', 'qa'],
  ])('of %j that an earlier version made reads as the one of today', (from, earlier) => {
    expect(readLabel(`${earlier}--shop`)).toEqual({
      project: 'shop',
      which: 'branch',
      slug: branchSlug(from, 'shop'),
    })
  })

  test('with two characters has the hash in the label, since certificate authorities refuse qa--shop', () => {
    expect(branchLabel('qa', 'shop')).toBe(`qa-${digest('qa')}--shop`)
    expect(readLabel(`qa-${digest('qa')}--shop`)).toEqual({ project: 'shop', which: 'branch', slug: 'qa' })
    expect(readLabel(`qa-${digest('QA')}--shop`)).toMatchObject({ slug: `qa-${digest('QA')}` })
  })

  test('of a fork cannot be made equal to that of a branch by trying names', () => {
    const ofBranch = branchSlug('feature/login', 'shop')
    const ofFork = branchSlug('feature:login', 'shop')
    expect(ofFork).toMatch(/^feature-login-[0-9a-f]{12}$/)
    expect(ofFork.length).not.toBe(ofBranch.length)
  })

  test('differs between branches that read alike', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z/_A-Z-]{1,12}$/),
        fc.stringMatching(/^[a-z/_A-Z-]{1,12}$/),
        (a, b) => {
          fc.pre(a !== b)
          expect(branchSlug(a, 'shop')).not.toBe(branchSlug(b, 'shop'))
        },
      ),
    )
  })
})

describe('labels', () => {
  test('of deployments are valid and read back as that deployment', () => {
    fc.assert(
      fc.property(id, name, (deployment, project) => {
        const label = deploymentLabel(deployment, project)
        expect(label.length).toBeLessThanOrEqual(63)
        expect(readLabel(label)).toEqual({ project, which: 'deployment', id: deployment })
      }),
    )
  })

  test('the name of a project is the label of its production', () => {
    fc.assert(
      fc.property(name, project => {
        expect(readLabel(project)).toEqual({ project, which: 'production' })
      }),
    )
  })

  test.each([
    '',
    'a',
    '-shop',
    'shop-',
    '--shop',
    'a--',
    '-----shop',
    'Shop',
    'sh_op',
    'x'.repeat(64),
    `${'x'.repeat(60)}--shop`,
  ])('never stand for a site as %j', label => expect(readLabel(label)).toBeUndefined())
})

describe('site addresses', () => {
  test('carry the port only where there is one', () => {
    expect(siteUrl({ scheme: 'http', domain: 'localhost', port: 8080 }, 'shop')).toBe(
      'http://shop.localhost:8080',
    )
    expect(siteUrl({ scheme: 'https', domain: 'example.org', port: undefined }, 'main--shop')).toBe(
      'https://main--shop.example.org',
    )
  })
})
