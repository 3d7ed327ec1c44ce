import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { isBranchName } from './branch-names.ts'

const names = [
  ...[
    'main',
    'a/b',
    'a.b',
    'a-b',
    'ä',
    '💚',
    'a@b',
    'a{b',
    '@a',
    'a@',
    '@/a',
    'a.lockb',
    'lock',
    'A.LOCK',
    'HEAD/x',
    '%',
    "'",
    '"',
    '$(x)',
    '-',
  ],
  ...[
    '',
    '@',
    'a..b',
    'a b',
    'a~b',
    'a^b',
    'a:b',
    'a?b',
    'a*b',
    'a[b',
    'a\\b',
    'a@{b',
    'a\tb',
    'a\x7fb',
    '/a',
    'a/',
    'a//b',
    '.a',
    'a.',
    'a/.b',
    'a./b',
  ],
  ...['a.lock', 'a.lock/b', 'a/b.lock', '.lock', '-a', '--all', '..', '.', 'a/..', 'a/-b'],
]

it.each(names)('%j is a name of a branch if git says so', name => {
  const { status } = spawnSync('git', ['check-ref-format', '--branch', name])
  expect(isBranchName(name)).toBe(status === 0)
})
