// What one endpoint of the API is, and the types that server and clients derive from the table of them.
import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'

/** Who may call: no token, a `cli` token, or also an org's `deploy` token. */
export type Access = 'none' | 'user' | 'user or deploy'

export interface Endpoint {
  summary: string
  access: Access
  query?: z.ZodObject
  body?: z.ZodObject
  /** A body that is not JSON; the handler reads the stream itself. */
  rawBody?: readonly string[]
  /** The body's type is told by its content; what the header says does not matter. */
  typeByContent?: true
  /** The answer: its status on success, and its schema, or a media type for what is not JSON. */
  status?: 200 | 201 | 202 | 302
  answer: z.ZodType | string
  errors?: readonly ErrorCode[]
  rateLimit?: string
  /** More words for the reference. */
  note?: string
}

export type Endpoints = Record<`${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`, Endpoint>

type ParamNames<P extends string> = P extends `${string}:${infer N}/${infer R}`
  ? N | ParamNames<`/${R}`>
  : P extends `${string}:${infer N}`
    ? N
    : never

export type PathParams<K extends string> = { [N in ParamNames<K>]: string }
type In<S> = S extends z.ZodType ? z.input<S> : never
type Out<S> = S extends z.ZodType ? z.output<S> : never

/** What a client sends. */
export type Query<E> = E extends { query: infer Q } ? In<Q> : never
export type Body<E> = E extends { body: infer B } ? In<B> : never
/** What the server works with after validation. */
export type ParsedQuery<E> = E extends { query: infer Q } ? Out<Q> : Record<string, never>
export type ParsedBody<E> = E extends { body: infer B } ? Out<B> : undefined
export type Answer<E> = E extends { answer: infer A } ? (A extends z.ZodType ? z.output<A> : string) : never
