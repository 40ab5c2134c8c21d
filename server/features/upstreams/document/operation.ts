export type JsonSchema = Record<string, unknown>

/** Where an input goes in the upstream's request, and how it is written there (OpenAPI's `style` and `explode`). */
export interface InputPlace {
  in: 'path' | 'query' | 'header' | 'body'
  /** The upstream's name for it. */
  name: string
  style: 'simple' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | 'json'
  explode: boolean
  /** Values of this path parameter may have slashes, sent as %2F. */
  slashes?: 'encode'
}

/** One capability of an upstream, as its description says. Plain JSON: it is stored with the version. */
export interface Operation {
  /** The description's own, or made from method and path. */
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The template, as in the description: `/users/{user-id}`. */
  path: string
  /** Templates of other operations with its method, published or not, that a value of a path parameter could lead to, also if a server decodes its slashes. */
  narrower?: string[]
  title: string
  description: string
  /** JSON Schema 2020-12 of all inputs together, closed, with references into the version's `schemas`. */
  input: JsonSchema
  places: Record<string, InputPlace>
  /** `whole`: the input `body` is the request body; otherwise the inputs in place `body` are its properties. */
  body: { type: 'json' | 'form'; whole: boolean } | null
  /** What successful JSON answers look like; null: not said. */
  response: JsonSchema | null
  /** The inputs that the description has examples of. */
  example?: Record<string, unknown>
  /** The description's example of a successful JSON answer. */
  responseExample?: unknown
  /** The types of answer that it offers, for `accept`. */
  accept: string
  /** Of an MCP server's tool, whose name `id` is: what its operator approved. */
  mcp?: {
    /** SHA-256 of each part of its definition, by the name of the part. */
    pins: Record<string, string>
    annotations: Record<string, boolean>
    /** What `structuredContent` looks like; null: not said. */
    output: JsonSchema | null
  }
  /** Of an MCP server's prompt. */
  prompt?: {
    name: string
    pins: Record<string, string>
    arguments: { name: string; description: string; required: boolean }[]
  }
  /** Of an MCP server: one operation reads all of its resources. `withheld` are those that are not published. */
  resources?: { published: PublishedResource[]; withheld: string[] }
}

/** A resource of an MCP server, or a pattern of them (RFC 6570), as its operator approved it. */
export interface PublishedResource {
  /** The server's own. */
  uri: string
  template: boolean
  name: string
  title: string
  description: string
  mimeType?: string
  pins: Record<string, string>
}

/** What a description offers. */
export interface ReadDocument {
  title: string
  operations: Operation[]
  /** Shared parts, by the name that `#/$defs/<name>` refers to. */
  schemas: Record<string, JsonSchema>
  /** Operations that cannot be published, and why. */
  skipped: { operation: string; reason: string }[]
  /** Headers that it names and that cannot be sent. */
  unsent: string[]
  /** What is wrong with the description, but prevents nothing. */
  warnings: string[]
}
