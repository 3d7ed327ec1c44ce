import { describe, expect, it } from 'vitest'
import { nextPath, signInPath } from './next.ts'

const origin = 'http://app.localhost:8080'
const after = (path: string) => nextPath(new URL(path, origin).search, origin)

describe('the way back after signing in', () => {
  it.each(['/', '/projects/my-site', '/device?code=BCDF-GHJK'])('leads to %s', asked => {
    expect(after(signInPath(asked))).toBe(asked)
  })

  it.each(['//evil.example', '/\\evil.example', 'https://evil.example/', 'javascript:alert(1)', 'http://'])(
    'never leads to %s',
    next => {
      expect(nextPath(`?next=${encodeURIComponent(next)}`, origin)).toBe('/')
    },
  )
})
