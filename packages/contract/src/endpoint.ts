// The type of an endpoint of the API, and the types that server and clients derive from the table of endpoints.
import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { RateLimitName } from './rate-limits.ts'
import type { AuditAction } from './shapes/platform.ts'

/** Who may call: no token, a `cli` token, also an org's `deploy` token, or only the `cli` token of a platform admin. */
export type Access = 'none' | 'user' | 'user or deploy' | 'platform admin'

/**
 * The role in the org that an endpoint below an org or a project needs. The owner of a personal project has every right
 * over it. `self`: any member, with a further rule in the core (leaving an org, unsharing one's own installation, taking
 * a project out of an org).
 */
export type RouteRole = 'member' | 'admin' | 'owner' | 'self'

/** The fields of a row of the table. */
interface Row {
  summary: string
  access: Access
  /** Every endpoint below an org or a project has one. `none`: the endpoint needs no token. */
  role?: RouteRole | 'none'
  /** A request counts against all of these, in this order. Empty if the endpoint has no limit. */
  rateLimits: readonly RateLimitName[]
  query?: z.ZodObject
  body?: z.ZodObject
  /** The content types of a body that is not JSON. The handler reads the stream. */
  rawBody?: readonly string[]
  /** The content of the body decides its type, not the Content-Type header. */
  typeByContent?: true
  /**
   * The answer: its status on success, and its schema, or a media type for what is not JSON. With 101 it is a WebSocket, and the
   * answer names the protocol of the bytes in its binary messages.
   */
  status?: 101 | 200 | 201 | 202 | 302
  answer: z.ZodType | string
  /** Further errors of this endpoint. openapi.ts adds those that follow from the other fields. */
  errors?: readonly Exclude<ErrorCode, 'rate_limit_exceeded'>[]
  /** Also for an account that waits for its deletion. Every GET is. */
  whileDeleting?: true
  /** A note for the API reference. */
  note?: string
}

interface Change extends Row {
  /** What a successful call writes to the audit log: one of these actions, or nothing if it changes nothing. */
  audit: readonly AuditAction[]
}

/** A GET that changes nothing itself, but opens a way to do so. */
type Connection = Change & { status: 101 }

/** Any row of the table. */
export type Endpoint = Row & Partial<Change>

type Changing = 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Scoped = `${'GET' | Changing} /${'orgs' | 'projects'}/:name${string}`

/** The type of the table: a row without its role, its rate limits or its audit actions does not compile. */
export type Endpoints = Record<`GET /${string}`, (Row & { audit?: never }) | Connection> &
  Record<`${Changing} /${string}`, Change> &
  Record<Scoped, Endpoint & { role: RouteRole | 'none' }>

type ParamNames<P extends string> = P extends `${string}:${infer N}/${infer R}`
  ? N | ParamNames<`/${R}`>
  : P extends `${string}:${infer N}`
    ? N
    : never

export type PathParams<K extends string> = { [N in ParamNames<K>]: string }
type In<S> = S extends z.ZodType ? z.input<S> : never
type Out<S> = S extends z.ZodType ? z.output<S> : never

/** The query as a client sends it. */
export type Query<E> = E extends { query: infer Q } ? In<Q> : never
export type Body<E> = E extends { body: infer B } ? In<B> : never
/** The query as the server sees it after validation. */
export type ParsedQuery<E> = E extends { query: infer Q } ? Out<Q> : Record<string, never>
export type ParsedBody<E> = E extends { body: infer B } ? Out<B> : undefined
export type Answer<E> = E extends { answer: infer A } ? (A extends z.ZodType ? z.output<A> : string) : never
