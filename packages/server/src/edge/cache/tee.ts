// Reads an answer to be kept, and hands it on to the visitor who asked for it at the same time.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { beginAnswer } from '../proxy/deliver.ts'

/**
 * Resolves with the whole body, or with undefined where it is too large to be kept or broke off. Until it is too large
 * it is read as fast as it comes, however slowly the visitor takes it, and even if the visitor goes away: others wait
 * for it.
 */
export function tee(
  answer: IncomingMessage,
  visitor: { res: ServerResponse; headers: string[] } | undefined,
  atMost: number,
): Promise<Buffer | undefined> {
  const { promise, resolve } = settleable<Buffer | undefined>()
  const res = visitor?.res
  const chunks: Buffer[] = []
  let size = 0
  let keeps = true

  const giveUp = () => {
    keeps = false
    chunks.length = 0
    resolve(undefined)
    if (res === undefined || res.destroyed) answer.destroy()
  }
  if (visitor !== undefined) beginAnswer(visitor.res, answer, visitor.headers)
  answer.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (keeps) chunks.push(chunk)
    if (keeps && size > atMost) giveUp()
    if (res === undefined || res.destroyed || res.write(chunk) || keeps) return
    answer.pause()
    res.once('drain', () => answer.resume())
  })
  answer.on('end', () => {
    if (keeps) resolve(Buffer.concat(chunks))
    res?.end()
  })
  answer.on('error', () => {
    resolve(undefined)
    res?.destroy()
  })
  res?.once('close', () => {
    if (!keeps && !answer.readableEnded) answer.destroy()
  })
  return promise
}

export interface Settleable<T> {
  promise: Promise<T>
  resolve(value: T): void
}

export function settleable<T>(): Settleable<T> {
  let settle: (value: T) => void = () => undefined
  const promise = new Promise<T>(done => {
    settle = done
  })
  return { promise, resolve: value => settle(value) }
}
