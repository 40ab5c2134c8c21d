import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Copy, DockerfileParser, type Instruction, type JSONInstruction } from 'dockerfile-ast'

/** What the last stage of deploy/Dockerfile makes: files from other stages, and how it runs. */
export interface Image {
  copies: { stage: string; from: string; to: string; owner: string | null }[]
  env: Record<string, string>
  workdir: string
  user: string
  volumes: string[]
  health: string[]
  /** ENTRYPOINT and CMD. */
  command: string[]
}

const file = join(import.meta.dirname, '../Dockerfile')

export function readImage(text = readFileSync(file, 'utf8')): Image {
  const instructions = DockerfileParser.parse(text).getInstructions()
  const last = instructions.findLastIndex((one) => one.getKeyword() === 'FROM')
  const stage = instructions.slice(last + 1)
  const all = (keyword: string) => stage.filter((one) => one.getKeyword() === keyword)
  const single = (keyword: string): Instruction => {
    const [one, ...more] = all(keyword)
    if (!one || more.length > 0) throw new Error(`expected one ${keyword} in the last stage`)
    return one
  }
  const words = (keyword: string) =>
    (single(keyword) as JSONInstruction).getJSONStrings().map((one) => one.getJSONValue())
  return {
    copies: (all('COPY') as Copy[]).map((copy) => {
      const [from, to] = copy.getArguments().map((one) => one.getValue())
      const flag = (name: string) =>
        copy
          .getFlags()
          .find((one) => one.getName() === name)
          ?.getValue() ?? null
      return { stage: flag('from') ?? '', from: from!, to: to!, owner: flag('chown') }
    }),
    env: Object.fromEntries(
      all('ENV').flatMap((one) => one.getArguments().map((word) => word.getValue().split('=') as [string, string])),
    ),
    workdir: single('WORKDIR').getArgumentsContent() ?? '',
    user: single('USER').getArgumentsContent() ?? '',
    volumes: all('VOLUME').map((one) => one.getArgumentsContent() ?? ''),
    health: JSON.parse((single('HEALTHCHECK').getArgumentsContent() ?? '').replace(/^.*?CMD /, '')) as string[],
    command: [...words('ENTRYPOINT'), ...words('CMD')],
  }
}
