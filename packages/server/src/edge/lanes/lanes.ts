// The only file of the lanes that the rest of the server imports. The lanes themselves import nothing of the edge.
export { readDirectly } from './direct-reads.ts'
export type { Head } from './http1/head.ts'
export { Http1Lane } from './http1/lane.ts'
export { Http2Lane } from './http2/lane.ts'
export type { Http2LaneSources } from './http2/lane-requests.ts'
export { receiveWindows } from './http2/receive-window.ts'
export type {
  AppAnswer,
  AppLaneSource,
  AppTarget,
  BegunByLane,
  BodyEncoder,
  Compression,
  ConnectionUser,
  EncodedSink,
  FileSource,
  HotAnswer,
  HotRequest,
  RestOfChunks,
  SendingBody,
  UrlField,
} from './sources.ts'
