// Answers a request for a hot file with one write.
import type { Socket } from 'node:net'
import { evaluateConditions } from '../../../lib/conditions.ts'
import type { Peer } from '../../../lib/received.ts'
import { writeBothDirectly, writeDirectly } from '../direct-writes.ts'
import type { HotSource, SentFile } from '../sources.ts'
import { type Answers, joinedBytes } from './answers.ts'
import type { Head } from './head.ts'
import { largeBytes } from './large.ts'

interface AnswerParts {
  hot: HotSource
  answers: Answers
}

/** Returns false, and sends nothing, if the file is to be sent in pieces (`large.ts`). */
export function answerAtOnce(
  client: Peer & { socket: Socket },
  head: Head,
  file: SentFile,
  { hot, answers }: AnswerParts,
): boolean {
  const { socket } = client
  const { body } = file
  if (isUnchanged(head, file)) {
    writeDirectly(socket, answers.unchanged(file))
    hot.count(file, head, { status: 304, bytes: 0 }, client)
  } else if (head.method === 'HEAD') {
    socket.write(answers.head(file))
    hot.count(file, head, { status: 200, bytes: 0 }, client)
  } else if (body.length > largeBytes) {
    return false
  } else {
    if (body.length > joinedBytes) writeBothDirectly(socket, answers.whole(file), body)
    else writeDirectly(socket, answers.whole(file))
    hot.count(file, head, { status: 200, bytes: body.length }, client)
  }
  return true
}

function isUnchanged({ ifNoneMatch, ifModifiedSince }: Head, { representation }: SentFile): boolean {
  if (ifNoneMatch === undefined && ifModifiedSince === undefined) return false
  const conditions = { 'if-none-match': ifNoneMatch, 'if-modified-since': ifModifiedSince }
  return evaluateConditions(conditions, representation) === 'not-modified'
}
