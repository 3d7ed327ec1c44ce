// One HTTP/1.1 connection, with or without TLS. It answers GET and HEAD requests for hot files itself, passes plain requests
// to apps, and hands every other request to node:http.
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Peer } from '../../../lib/received.ts'
import { AppRequest } from '../apps/app-request.ts'
import { Http1Client } from '../apps/http1-client.ts'
import { RepeatedAnswerHead } from '../apps/repeated-answer-head.ts'
import { readDirectly } from '../direct-reads.ts'
import { sentMark, unsentBytes, whenSent } from '../direct-writes.ts'
import type { AppLaneSource, AppTarget, HotSource, SentFile } from '../sources.ts'
import { answerAtOnce } from './answer-at-once.ts'
import type { Answers } from './answers.ts'
import { EarlyBytes } from './early-bytes.ts'
import { Handover } from './handover.ts'
import { bytesOfHead, type Head, type HeadReading, readHead, withBodyBytes } from './head.ts'
import { pieceBytes, sendLarge, tlsPieceBytes } from './large.ts'
import type { NodeHttp } from './node-http.ts'
import { RepeatedFields } from './repeated-fields.ts'

interface ConnectionParts {
  http: NodeHttp
  hot: HotSource
  apps: AppLaneSource | undefined
  answers: Answers
  /** The longest head that the lane reads, in bytes. */
  headBytes: number
  /** Whether node:http answers all requests of a connection whose first one is for this host. */
  isForNode(host: string, peer: Peer): boolean
  /** Called when the connection is closed, or when node:http gets it for good. */
  onGone(): void
}

/** No further request is read while more than this many bytes wait to be sent. */
const unsentAtMost = 256 * 1024

const nothing: Buffer = Buffer.alloc(0)

export class Connection implements Peer {
  readonly socket: Socket
  readonly address: string
  readonly secure: boolean
  /** How many times in a row `noteProgress` found that no byte had moved. */
  quietChecks = 0
  readonly #parts: ConnectionParts
  readonly #handover: Handover
  readonly #repeated = new RepeatedFields()
  #movedBytes = -1
  #isSending = false
  /** Whether the connection closes after an answer that says so. */
  #isClosing = false
  /** Whether the answer under way began before `#isClosing`. The client may send another request after it. */
  #isEarlier = false
  /** The request that the lane is passing to an app. */
  #appRequest: AppRequest | undefined
  /** The request that was under way at the last call of `handOverSlowBody`. */
  #slow: AppRequest | undefined
  /** Bytes that the client sent after that request. */
  readonly #early = new EarlyBytes()
  #repeatedAnswer: RepeatedAnswerHead | undefined
  /** Receives the answers of apps. */
  #appClient: Http1Client | undefined
  /** Whether the last request of the lane was for an app. The next one then most likely is, too. */
  #isForApp = false

  constructor(socket: Socket, parts: ConnectionParts) {
    this.socket = socket
    this.#parts = parts
    this.address = socket.remoteAddress ?? ''
    this.secure = (socket as TLSSocket).encrypted === true
    // As without TLS: the lane decides when its side ends.
    socket.allowHalfOpen = true
    this.#handover = new Handover(socket, {
      http: parts.http,
      onData: this.#onData,
      onEnd: this.#onEnd,
      onAttach: () => {
        socket.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onError)
      },
      // node:http has set its own timeout for idle connections on the socket. The lane closes idle connections itself.
      onReturn: () => void socket.setTimeout(0),
      onGone: () => {
        readByEvents()
        socket.off('close', this.#onClose)
        parts.onGone()
      },
    })
    socket.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onError)
    socket.on('close', this.#onClose)
    const readByEvents = readDirectly(socket, this.#onShared)
  }

  /** Whether node:http is handling a request. Meanwhile node:http's own timeouts apply. */
  get isBusy(): boolean {
    return this.#handover.isBusy
  }

  /** Whether an answer of the lane is under way, or a part of it still waits to be sent. */
  get isAnswering(): boolean {
    return this.#isAtWork || unsentBytes(this.socket) > 0
  }

  get #isAtWork(): boolean {
    return this.#isSending || this.#appRequest !== undefined
  }

  /** Sets `quietChecks` to 0 if a byte has moved in either direction since the last call, and else adds 1 to it. */
  noteProgress(): void {
    const moved = this.socket.bytesRead + sentMark(this.socket)
    this.quietChecks = moved === this.#movedBytes ? this.quietChecks + 1 : 0
    this.#movedBytes = moved
  }

  /** Closes the connection after the first answer that begins after this call. */
  drain(): void {
    this.#isEarlier = this.#isSending || this.#appRequest?.hasBegun === true
    this.#isClosing = true
  }

  closeIfIdle(): void {
    if (!this.isBusy && !this.isAnswering) this.socket.destroySoon()
  }

  #closeAfterLast(): void {
    if (this.#isClosing && !this.#isEarlier) this.socket.destroySoon()
    this.#isEarlier = false
  }

  /** A client that ends the connection does not wait for the answer of an app. node:http sees it in the same way. */
  readonly #onEnd = (): void => {
    this.#appRequest?.cancel()
    // A client may end its side together with its request. It still gets the whole file.
    if (this.#isSending) {
      this.#isClosing = true
      this.#isEarlier = false
    } else this.#handover.end()
  }
  readonly #onError = (): void => void this.socket.destroy()
  readonly #onClose = (): void => {
    this.#appRequest?.cancel()
    this.#parts.onGone()
  }

  readonly #onData = (chunk: Buffer): void => {
    if (!this.#sendBody(chunk) && !this.#serveRepeated(chunk)) this.#receive(chunk)
  }

  /** `chunk` is overwritten after the call. */
  readonly #onShared = (chunk: Buffer): void => {
    if (this.#sendBody(chunk) || this.#serveRepeated(chunk) || this.#handover.continueBody(chunk)) return
    this.#receive(Buffer.from(chunk))
  }

  /** Sends the app the next part of the body, if it has not got all of it. Else returns false. It keeps nothing of `chunk`. */
  #sendBody(chunk: Buffer): boolean {
    const request = this.#appRequest
    const leftBytes = request?.leftBytes ?? 0
    if (request === undefined || leftBytes === 0) return false
    request.sendMore(chunk.subarray(0, leftBytes))
    if (request.isAppFull) {
      this.socket.pause()
      request.whenTaken(() => this.socket.resume())
    }
    if (chunk.length > leftBytes) this.#receive(Buffer.from(chunk.subarray(leftBytes)))
    return true
  }

  /** Leaves a request to node:http whose body takes long, because node:http has a time limit for it. To be called at intervals. */
  handOverSlowBody(): void {
    const request = this.#appRequest
    if (request !== undefined && request.leftBytes > 0 && request === this.#slow) request.handOver()
    this.#slow = request
  }

  #receive(chunk: Buffer): void {
    if (this.#appRequest !== undefined) this.#onEarlyData(this.#appRequest, chunk)
    else if (this.#isSending) this.#wait(chunk)
    else if (this.#handover.isBusy) this.#handover.continue(chunk)
    else this.#serve(chunk)
  }

  /**
   * Answers `chunk` if it is one request with the same fields as an earlier one, for a hot file or an app. Else returns false.
   * It keeps nothing of `chunk`.
   */
  #serveRepeated(chunk: Buffer): boolean {
    if (this.#isAtWork || this.#handover.isBusy) return false
    const head = this.#repeated.read(chunk)
    if (head === undefined || head.length > this.#parts.headBytes) return false
    // A request that may be passed to an app is for no file.
    if (this.#isForApp && this.#passRepeated(head)) return true
    const file = this.#parts.hot.find(head, this.secure)
    if (file === undefined) return !this.#isForApp && this.#passRepeated(head)
    this.#isForApp = false
    this.#answer(head, file)
    if (this.#isFull && !this.#hasEnded) this.#wait(nothing)
    return true
  }

  #passRepeated(head: Head): boolean {
    const target = this.#parts.apps?.find(head, this)
    if (target !== undefined) this.#passToApp(head, nothing, target)
    return target !== undefined
  }

  /** Answers the requests in `chunk` one after the other, until one is for node:http or too much waits to be sent. */
  #serve(chunk: Buffer): void {
    const { socket } = this
    const text = chunk.toString('latin1')
    let at = 0
    let next = this.#answerAt(text, at)
    // The answers to pipelined requests are corked, so that they go out in one write. After `uncork` there may be
    // room for more.
    while (typeof next === 'number' && next < text.length && !this.#isFull && !this.#hasEnded) {
      socket.cork()
      while (typeof next === 'number' && next < text.length && !this.#isFull && !this.#hasEnded) {
        at = next
        next = this.#answerAt(text, at)
      }
      socket.uncork()
    }
    // A client that sent more behind the last answer sends it again on another connection.
    if (this.#hasEnded) return
    if (typeof next !== 'number') this.#pass(chunk.subarray(at), next)
    else if (this.#isFull) this.#wait(chunk.subarray(next))
  }

  /**
   * Answers the request that begins at `at`, and returns where the next one begins. If the lane does not answer the
   * request, returns what was read of its head.
   */
  #answerAt(text: string, at: number): number | HeadReading {
    const head = readHead(text, at, this.#parts.headBytes)
    if (typeof head === 'string' || !head.isPlain) return head
    const file = this.#parts.hot.find(head, this.secure)
    if (file === undefined) return head
    if (head.length === text.length) this.#repeated.keep(head)
    this.#answer(head, file)
    return at + head.length
  }

  #answer(head: Head, file: SentFile): void {
    if (!answerAtOnce(this, head, file, this.#parts)) this.#sendLarge(head, file)
    if (!this.#isSending) this.#closeAfterLast()
  }

  #sendLarge(head: Head, file: SentFile): void {
    const { socket } = this
    const { answers, hot } = this.#parts
    this.#isSending = true
    sendLarge({
      socket,
      head: answers.head(file),
      body: file.body,
      pieceBytes: this.secure ? tlsPieceBytes : pieceBytes,
      onPassed: bytes => {
        this.#isSending = false
        hot.count(file, head, { status: 200, bytes }, this)
        this.#closeAfterLast()
        if (this.#hasEnded) return
        if (this.#isFull) this.#wait(nothing)
        else if (socket.isPaused()) socket.resume()
      },
    })
  }

  /** Passes the request to its app, if the lane may do that and nothing came behind the request. Else node:http gets it. */
  #pass(bytes: Buffer, reading: HeadReading): void {
    const head = typeof reading === 'object' && reading.isPassable ? reading : undefined
    const isAlone = head !== undefined && bytes.length <= head.length + head.bodyBytes
    const target = isAlone ? this.#parts.apps?.find(head, this) : undefined
    if (head === undefined || target === undefined) {
      const isForNode = typeof reading === 'object' && this.#parts.isForNode(reading.host, this)
      if (!isForNode || !this.#handover.giveForGood(bytes)) this.#handover.give(bytes, reading)
      return
    }
    if (head.isPlain) this.#repeated.keep(head)
    this.#passToApp(head, bytes.subarray(head.length), target)
  }

  #passToApp(head: Head, body: Buffer, target: AppTarget): void {
    const { apps, answers } = this.#parts
    this.#isForApp = true
    this.#repeatedAnswer ??= new RepeatedAnswerHead()
    this.#appClient ??= new Http1Client({
      socket: this.socket,
      isSecure: this.secure,
      connectionFields: () => answers.connectionFields,
    })
    this.#appRequest = new AppRequest(target, {
      client: this.#appClient,
      isHead: head.method === 'HEAD',
      repeated: this.#repeatedAnswer,
      onAnswered: answer => {
        this.#appRequest = undefined
        apps?.count(target, head, answer, this)
        this.#goOn()
      },
      onHandOver: (begun, sending) => {
        this.#appRequest = undefined
        const left = sending === undefined ? head : withBodyBytes(head, sending.leftBytes)
        const whole = sending === undefined ? Buffer.concat([bytesOfHead(head), body]) : bytesOfHead(left)
        this.#handover.give(whole, left, begun)
        // The client may wait for an app that is gone.
        if (sending !== undefined) this.socket.resume()
      },
    })
    this.#appRequest.send(body, head.bodyBytes - body.length)
  }

  /** Handles bytes that the client sends before the answer of the app is complete. */
  #onEarlyData(request: AppRequest, chunk: Buffer): void {
    if (!request.hasBegun) {
      request.handOver()
      this.#receive(chunk)
      return
    }
    this.#early.add(chunk)
    if (this.#early.isFull) this.socket.pause()
  }

  /** Goes on after the answer of an app. A client that does not read its answers has to read them first. */
  #goOn(): void {
    const { socket } = this
    this.#closeAfterLast()
    if (this.#hasEnded) return
    const isFull = this.#isFull
    if ((this.#early.isEmpty && !isFull) || socket.destroyed) return
    const early = this.#early.take()
    if (isFull) {
      this.#wait(early)
      return
    }
    socket.unshift(early)
    socket.resume()
  }

  get #hasEnded(): boolean {
    return this.socket.writableEnded
  }

  get #isFull(): boolean {
    return this.#isSending || unsentBytes(this.socket) > unsentAtMost
  }

  /** Stops reading until the answers so far are sent. `rest` is put back into the socket, to be read after that. */
  #wait(rest: Buffer): void {
    const { socket } = this
    // A client that gets a large file mostly sends nothing meanwhile.
    if (this.#isSending && rest.length === 0) return
    socket.pause()
    if (rest.length > 0) socket.unshift(rest)
    if (!this.#isSending) whenSent(socket, () => socket.resume())
  }
}
