import { limits } from '@svc/contract/limits'
import { describe, expect, it } from 'vitest'
import { refusal, standIn } from '../../testing/api.ts'
import { type Settings, svc, token } from '../../testing/svc.ts'
import { forTerminal } from './lines.ts'

const path = 'GET /projects/blog/logs'
const running = (logs: string) => ({ body: { state: 'running', logs, stopped_at: null } })
const stopped = (logs: string, at: string | null = '2026-11-15T10:00:05.000Z') => ({
  body: { state: 'stopped', logs, stopped_at: at },
})
const unreachable = { body: { state: 'unreachable', logs: '', stopped_at: null } }
const gone = refusal('not_found', 'Gone.', 404)

/** The n-th line, written n seconds after ten. */
const stamp = (n: number) => `2026-11-15T10:00:0${n}.000000001Z`
const since = (n: number) => `${1794736800 + n}.000000001`
const line = (n: number) => `${stamp(n)} line ${n}\n`

async function run(args: string[], scripts: Parameters<typeof standIn>[0], settings: Settings = {}) {
  const api = await standIn(scripts)
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
  return { api, result: await svc(['logs', ...args, '--project', 'blog'], { env, ...settings }) }
}

describe('svc logs', () => {
  it('prints the last lines as they are', async () => {
    const { result } = await run([], { [path]: running('one\n\ntwo\n') })
    expect(result).toEqual({ code: 0, stdout: 'one\n\ntwo\n', stderr: '' })
  })

  it('prints nothing where nothing was written, and says so on stderr', async () => {
    const { result } = await run([], { [path]: running('') })
    expect(result).toEqual({ code: 0, stdout: '', stderr: 'The app has written nothing yet.\n' })
  })

  it('passes on how many, since when and with times', async () => {
    const { result } = await run(['--tail', '5', '--since', '1794736800.5', '--timestamps'], {
      [`${path}?tail=5&since=1794736800.5&timestamps=1`]: running(line(1)),
    })
    expect(result.stdout).toBe(line(1))
  })

  it('begins each line at a terminal with its time in UTC, and with the day unless that is today', async () => {
    const now = new Date().toISOString()
    const { result } = await run(
      [],
      { [`${path}?timestamps=1`]: running(`${line(1)}${now.replace('Z', '000000Z')} svc: hello\n`) },
      { terminal: true },
    )
    expect(result.stdout.split('\n')).toEqual([
      '2026-11-15 10:00:01 line 1',
      // The day may have ended since.
      expect.stringMatching(new RegExp(`^(${now.slice(0, 10)} )?${now.slice(11, 19)} svc: hello$`)),
      '',
    ])
  })

  it('passes on the level, the text and the deployment that lines must have', async () => {
    const { result } = await run(['--level', 'warn', '--search', 'slow', '--deployment', 'dep_a'], {
      [`${path}?deployment=dep_a&search=slow&level=warn`]: running('slow\n'),
    })
    expect(result.stdout).toBe('slow\n')
  })

  it('passes on the branch whose previews are meant', async () => {
    const { result } = await run(['--branch', 'next/1'], { [`${path}?branch=next%2F1`]: running('hello\n') })
    expect(result.stdout).toBe('hello\n')
  })

  it('shows the tail of a stopped app, and says so on stderr', async () => {
    const { result } = await run([], { [path]: stopped('bye\n') })
    expect(result).toEqual({
      code: 0,
      stdout: 'bye\n',
      stderr: 'The app stopped at 2026-11-15 10:00 UTC; the next request starts it.\n',
    })
  })

  it('shows what is new in the tail of a stopped app', async () => {
    const { result } = await run(['--since', '1794736801.5'], {
      [`${path}?since=1794736801.5`]: stopped(''),
      [`${path}?timestamps=1`]: stopped(line(1) + line(2)),
    })
    expect(result.stdout).toBe('line 2\n')
  })

  it('says when an app has never run, or its runner does not answer', async () => {
    expect((await run([], { [path]: stopped('', null) })).result.stderr).toBe(
      'The app has not run yet; the next request starts it.\n',
    )
    expect((await run([], { [path]: unreachable })).result.stderr).toBe(
      'The runner of this app does not answer. Its lines are shown once it does.\n',
    )
  })

  it('passes on that a static site has none, and names the log of its requests at a terminal', async () => {
    const refused = refusal('not_a_server', 'A static site has no logs.')
    const scripts = { [path]: refused, [`${path}?timestamps=1`]: refused }
    const stderr = 'svc: A static site has no logs. (not_a_server)\n'
    expect((await run([], scripts)).result).toEqual({ code: 1, stdout: '', stderr })
    expect((await run([], scripts, { terminal: true })).result.stderr).toBe(
      `${stderr}'svc logs --requests' shows the requests of its visitors.\n`,
    )
  })

  it('prints the answer as JSON', async () => {
    const { result } = await run(['--json'], { [path]: running('one\n') })
    expect(JSON.parse(result.stdout)).toEqual(running('one\n').body)
  })

  it.each([
    [['--tail', '0'], '--tail takes a whole number from 1 to 5000.'],
    [['--tail', '5001'], '--tail takes a whole number from 1 to 5000.'],
    [
      ['--since', 'noon'],
      '--since takes an age such as 90s, 15m, 2h or 1d, an ISO timestamp, or unix seconds.',
    ],
    [['--level', 'loud'], '--level takes debug, info, warn, error.'],
    [
      ['--requests', '--search', 'x'],
      '--branch, --search and --level are for the log of the app, not for --requests.',
    ],
    [['-f', '--json'], '--json shows one answer of the API; it cannot follow.'],
  ])('refuses %j before anything is sent', async (args, words) => {
    const { api, result } = await run(args, {})
    expect(result).toEqual({ code: 1, stdout: '', stderr: `svc: ${words}\n` })
    expect(api.keys()).toEqual([])
  })
})

describe('svc logs --follow', () => {
  const poll = (n: number) => `${path}?tail=5000&since=${since(n)}&timestamps=1`

  it('goes on through a stop, a cold start and a runner that is away, and shows every line once', async () => {
    const { result } = await run(['-f', '--tail', '2'], {
      [`${path}?tail=2&timestamps=1`]: running(line(1) + line(2)),
      // The app stops with a last line, nothing changes, it starts and stops again, the runner is away, and comes back.
      [poll(2)]: [stopped('')],
      [`${path}?tail=5000&timestamps=1`]: [
        stopped(line(1) + line(2) + line(3)),
        stopped(line(2) + line(3) + line(4), '2026-11-15T10:01:00.000Z'),
      ],
      [poll(3)]: [stopped(''), stopped('', '2026-11-15T10:01:00.000Z')],
      [poll(4)]: [unreachable, refusal('unavailable', 'Restarting.', 503), running(line(5))],
      [poll(5)]: [gone],
    })
    expect(result).toEqual({
      code: 1,
      stdout: 'line 1\nline 2\nline 3\nline 4\nline 5\n',
      stderr: [
        'The app stopped at 2026-11-15 10:00 UTC; the next request starts it.',
        'The app stopped at 2026-11-15 10:01 UTC; the next request starts it.',
        'The runner of this app does not answer. Its lines are shown once it does.',
        'svc: Gone. (not_found)\n',
      ].join('\n'),
    })
  })

  it('waits for a runner that does not answer at first, and then shows as much as was asked for', async () => {
    const { result } = await run(['-f', '--tail', '1'], {
      [`${path}?tail=1&timestamps=1`]: [
        unreachable,
        refusal('unavailable', 'Restarting.', 503),
        running(line(2)),
      ],
      [poll(2)]: [gone],
    })
    expect(result.stdout).toBe('line 2\n')
  })

  it('shows times where they are asked for, and what is new in a stopped app', async () => {
    const { result } = await run(['--follow', '--timestamps', '--since', '1794736801.5'], {
      [`${path}?since=1794736801.5&timestamps=1`]: stopped(''),
      [`${path}?timestamps=1`]: stopped(line(1) + line(2)),
      [poll(2)]: [gone],
    })
    expect(result.stdout).toBe(line(2))
  })

  it('pages back where more was written than one answer holds', async () => {
    const stampOf = (i: number) => `2026-11-15T10:00:01.${String(i).padStart(9, '0')}Z`
    const lines = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => `${stampOf(from + i)} ${from + i}\n`).join('')
    const { max } = limits.logsTail
    const { result } = await run(['-f'], {
      [`${path}?timestamps=1`]: running(lines(0, 10)),
      [`${path}?tail=5000&since=1794736801.000000009&timestamps=1`]: running(lines(3000, 3000 + max)),
      [`${path}?tail=5000&until=1794736801.000003000&timestamps=1`]: running(lines(0, 3000)),
      [`${path}?tail=5000&since=1794736801.${String(2999 + max).padStart(9, '0')}&timestamps=1`]: [gone],
    })
    const expected = Array.from({ length: 3000 + max }, (_, i) => `${i}\n`).join('')
    expect(result.stdout).toBe(expected)
  })

  it('ends on Ctrl-C as asked', async () => {
    const { result } = await run(
      ['-f'],
      { [`${path}?timestamps=1`]: running(line(1)), [poll(1)]: running('') },
      { interruptWhen: ({ stdout }) => stdout.includes('line 1') },
    )
    expect(result).toEqual({ code: 0, stdout: 'line 1\n', stderr: '' })
  })
})

it('a terminal gets colours, and nothing else that could steer it', () => {
  expect(forTerminal('\x1b[31mred\x1b[0m\t\x1b]0;title\x07\x1b[2Jx\r\u202e\u0007')).toBe(
    '\x1b[31mred\x1b[0m\tx   ',
  )
})
