import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { answerHook, type Question } from './push-hook.ts'

const MB = 1024 * 1024

/** Both pipes of a hook, and what svcd was asked. */
function hook() {
  const [fromHook, toHook] = [new PassThrough(), new PassThrough()]
  const asked: Question[] = []
  answerHook({ fromHook, toHook }, 'the end', async question => {
    asked.push(question)
    return undefined
  })
  return { fromHook, toHook, asked }
}

it('a push of some refs is judged', async () => {
  const { fromHook, toHook, asked } = hook()
  fromHook.write(`/objects\n${'0'.repeat(40)} ${'a'.repeat(40)} refs/heads/main\nthe end\n`)
  expect(await text(toHook)).toBe('ok\n')
  expect(asked).toEqual([
    { objects: '/objects', updates: [{ from: undefined, to: 'a'.repeat(40), ref: 'refs/heads/main' }] },
  ])
})

it('of a push of too many refs, nothing more is kept than may be asked', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const { fromHook, toHook, asked } = hook()
  const answer = text(toHook)
  const before = process.memoryUsage().arrayBuffers
  for (let i = 0; i < 200; i++) {
    if (!fromHook.write(Buffer.alloc(MB, 'r'))) await new Promise(resolve => fromHook.once('drain', resolve))
  }
  collectGarbage()
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * MB)
  expect(await answer).toBe('The push has too many refs.\n')
  expect(asked).toEqual([])
})
