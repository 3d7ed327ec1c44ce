// Reads the output of a container from the engine's log: from a given time on, once or for as long as the container runs.
import type { Engine } from './engine.ts'
import { type Frame, FrameReader, unixTime } from './frames.ts'

interface OutputRange {
  /** The time of the last known frame, in the engine's format. An empty string reads all. */
  after: string
  follow: boolean
}

/** Yields the frames of each chunk that the engine sends. */
export async function* readOutput(
  engine: Engine,
  id: string,
  { after, follow }: OutputRange,
  signal?: AbortSignal,
): AsyncGenerator<Frame[]> {
  const since = after ? `&since=${unixTime(after)}` : ''
  const path = `/containers/${id}/logs?follow=${follow ? 1 : 0}&stdout=1&stderr=1&timestamps=1${since}`
  const frames = new FrameReader()
  for await (const chunk of await engine.stream('GET', path, signal))
    yield frames.push(chunk as Buffer).filter(({ at }) => at > after)
}
