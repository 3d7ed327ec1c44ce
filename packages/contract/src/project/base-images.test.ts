import { describe, expect, it } from 'vitest'
import { imageById } from './base-images.ts'

describe('a Dockerfile', () => {
  it.each([
    'FROM 3fa',
    'from "3f"a AS x',
    'FROM --platform=linux/amd64 3FA',
    'FROM 0',
    'FROM sha256:3fa',
    'FROM node:22\nCOPY --from=3fa /srv /srv',
    'FROM node:22\nCOPY --chown=1:1 --from="3"fa /srv /srv',
    'FROM node:22\nCOPY --from=12345678901234567890 /srv /srv',
    'FROM node:22\nCOPY --from=$X /srv /srv',
    'FROM node:22\nRUN --mount=type=bind,from=3fa,target=/x cat /x/a',
    'FROM node:22 AS later\nCOPY --from=cafe / /x\nFROM node:22 AS cafe',
    'FROM 3\\\nfa',
    `ARG A=3f\nARG B=\${A}a\nFROM $B`,
    `ARG A=node:22\nARG GIVEN=node:22\nFROM \${GIVEN}`,
    `FROM \${X:-3fa}`,
    `FROM \${X:+3fa}`,
    `FROM \${X-\${Y}}`,
    '# escape=`\nLABEL a=\\\nFROM node:22 AS cafe\nFROM cafe',
  ])('may not mean an image by its id: %j', text => {
    expect(imageById(text, { GIVEN: '3fa' })).toMatch(/^(FROM|COPY|RUN) /)
  })

  it.each([
    'FROM node:22-slim AS a\nFROM scratch\nCOPY --from=a /x /x\nCOPY --from=0 /y /y\nCOPY b /b',
    'FROM deb:1\nFROM docker.io/library/cafe\nFROM ghcr.io/a/b@sha256:3fa',
    `ARG VERSION=22\nFROM node:\${VERSION}-slim AS Deb\nFROM deb`,
    `ARG BASE=node:22\nFROM \${BASE}`,
    `ARG BASE\nFROM \${BASE:-node:22}\nRUN echo --from=3fa $X`,
  ])('names its images: %j', text => {
    expect(imageById(text, {})).toBeUndefined()
  })
})
