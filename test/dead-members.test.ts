import { expect, test } from 'bun:test'
import { join, relative } from 'node:path'
import ts from 'typescript-classic'

/**
 * What the check for unused exports cannot see: members that nobody reads. In scope is what offers something to call:
 * what `create…`, `start…` and `open…` functions return, interfaces and types with a method, public members of classes.
 * A reader stands in src or scripts: a test is none.
 */

/** Nobody in src or scripts reads these: why they stay. */
const MEANT: Readonly<Record<string, string>> = {
  'database/statement.ts iterate': 'callers know it as a Statement',
  'database/statement.ts values': 'drizzle asks for it',
  'gateway/fcm/answers.ts blames': 'the manual shows it, and is held to it',
  'gateway/fcm/answers.ts done': 'the manual shows it, and is held to it',
  'gateway/fcm/answers.ts http': 'the manual shows it, and is held to it',
  'gateway/fcm/answers.ts says': 'the manual shows it, and is held to it',
  'gateway/fcm/answers.ts source': 'the manual shows it, and is held to it',
  'gateway/simulator/http2/http2-server.ts present': 'tests change its certificate',
  'gateway/simulator/http2/server-connection.ts lastId': 'tests part as gateways do',
  'gateway/simulator/http2/server-connection.ts raw': 'tests break the rules',
  'gateway/simulator/http2/server-stream.ts isAnswered': 'tests answer before the body',
  'gateway/simulator/http2/server-stream.ts isOpen': 'tests answer late',
  'gateway/simulator/simulator.ts accept': 'tests let their own credentials in',
  'gateway/simulator/simulator.ts answerWith': 'tests have it misbehave',
  'gateway/simulator/simulator.ts disconnect': 'tests have it misbehave',
  'gateway/simulator/simulator.ts goaway': 'tests have it misbehave',
  'gateway/simulator/simulator.ts issueCertificate': 'tests connect with one',
  'gateway/simulator/simulator.ts subscribe': 'tests are browsers of its push service',
  'gateway/simulator/simulator.ts webPushUrl': 'tests send to it by its own address',
  'gateway/webpush/answer-table.ts by': 'the manual shows it, and a test holds the two together',
  'gateway/webpush/answer-table.ts known': 'the manual shows it, and a test holds the two together',
  'gateway/webpush/answer-table.ts source': 'the manual shows it, and a test holds the two together',
  'server/server.ts changed': 'tests write to the database of a server that runs in their process',
  'http/fields.ts types': 'Standard Schema, which Elysia reads',
  'http/fields.ts vendor': 'Standard Schema, which Elysia reads',
  'http/fields.ts version': 'Standard Schema, which Elysia reads',
}

/** Types that take long to work out, and through which nothing of src is read. */
const HEAVY = /^(elysia|drizzle-orm|@elysiajs\/swagger)/

const top = join(import.meta.dir, '..')
const source = join(top, 'src/')

test('every member that is offered has a reader', () => {
  const unread = unreadMembers()
  expect(unread.filter((name) => !(name in MEANT))).toEqual([])
  expect(Object.keys(MEANT).filter((name) => !unread.includes(name))).toEqual([])
})

function unreadMembers(): string[] {
  const config = ts.readConfigFile(join(top, 'tsconfig.json'), (path) => ts.sys.readFile(path))
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, top)
  const roots = [...new Bun.Glob('{src,scripts}/**/*.{ts,tsx}').scanSync({ cwd: top, absolute: true })]
  const host = ts.createCompilerHost(options)
  // Most of what is read is comments of the runtime's types.
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseNone
  const cache = ts.createModuleResolutionCache(top, (name) => name, options)
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) =>
      HEAVY.test(text) ? { resolvedModule: undefined } : ts.resolveModuleName(text, from, options, host, cache),
    )
  const program = ts.createProgram(roots, options, host)
  const checker = program.getTypeChecker()
  const own = new Set(roots)
  const files = program.getSourceFiles().filter(({ fileName }) => own.has(fileName))

  /** Members by name, each with the type that offers it; and the types of which somebody reads a member of that name. */
  const offered = new Map<string, Map<ts.Declaration, ts.Type>>()
  const readers = new Map<string, Set<ts.Type>>()
  const read = new Set<ts.Declaration>()
  /** Where a member goes with an object that is spread into another. */
  const handedOn = new Map<ts.Declaration, ts.Declaration[]>()
  for (const file of files) eachNode(file, findOffer)
  for (const file of files) eachNode(file, findReader)
  return [...offered]
    .flatMap(([name, members]) => [...members].filter(([declaration, owner]) => !isRead(name, declaration, owner)))
    .map(([declaration]) => named(declaration))
    .toSorted()

  function findOffer(node: ts.Node): void {
    if (ts.isFunctionDeclaration(node) && ts.isSourceFile(node.parent) && isFactory(node)) {
      const signature = checker.getSignatureFromDeclaration(node)
      const type = signature && checker.getReturnTypeOfSignature(signature)
      if (type !== undefined) offer(checker.getAwaitedType(type) ?? type)
    } else if (ts.isClassDeclaration(node) || (hasMembers(node) && node.members.some(isCallable))) {
      offer(checker.getTypeAtLocation(node))
    }
  }

  function offer(type: ts.Type): void {
    for (const owner of type.isUnion() ? type.types : [type]) {
      for (const { name, declarations } of checker.getPropertiesOfType(owner)) {
        const declaration = declarations?.find(isOwn)
        if (declaration !== undefined && !isInherited(owner, name)) {
          offered.set(name, (offered.get(name) ?? new Map<ts.Declaration, ts.Type>()).set(declaration, owner))
        }
      }
    }
  }

  /** From a class of the runtime's, or of a package: those read it. */
  function isInherited(owner: ts.Type, name: string): boolean {
    const bases = owner.isClassOrInterface() ? checker.getBaseTypes(owner) : []
    return bases.some((base) => base.getProperty(name)?.declarations?.every(isOwn) === false)
  }

  function findReader(node: ts.Node): void {
    if (ts.isPropertyAccessExpression(node)) {
      if (!isAssigned(node)) note(node.name.text, node.expression)
    } else if (ts.isElementAccessExpression(node)) {
      const key = checker.getTypeAtLocation(node.argumentExpression)
      for (const one of key.isUnion() ? key.types : [key]) if (one.isStringLiteral()) note(one.value, node.expression)
    } else if (ts.isObjectBindingPattern(node)) {
      for (const { propertyName, name } of node.elements) note((propertyName ?? name).getText(), node)
    } else if (ts.isSpreadAssignment(node)) {
      for (const { name, declarations = [] } of checker.getPropertiesOfType(
        checker.getTypeAtLocation(node.expression),
      )) {
        if (!offered.has(name)) continue
        const there = checker.getContextualType(node.parent)?.getProperty(name)?.declarations ?? []
        for (const one of declarations) handedOn.set(one, [...(handedOn.get(one) ?? []), ...there])
      }
    }
  }

  function note(name: string, object: ts.Node): void {
    if (!offered.has(name)) return
    const stated = checker.getNonNullableType(checker.getTypeAtLocation(object))
    const type = checker.getBaseConstraintOfType(stated) ?? stated
    const declarations = type.getProperty(name)?.declarations ?? []
    for (const declaration of declarations) read.add(declaration)
    if (declarations.length > 0) readers.set(name, (readers.get(name) ?? new Set()).add(type))
  }

  /** By itself; where its object is spread; or as a member of another type, whose readers may be given its object. */
  function isRead(
    name: string,
    declaration: ts.Declaration,
    owner: ts.Type,
    seen = new Set<ts.Declaration>(),
  ): boolean {
    if (read.has(declaration)) return true
    if ([...(readers.get(name) ?? [])].some((type) => checker.isTypeAssignableTo(owner, type))) return true
    seen.add(declaration)
    return (handedOn.get(declaration) ?? []).some(
      (one) => !seen.has(one) && isRead(name, one, checker.getTypeAtLocation(one.parent), seen),
    )
  }
}

function isFactory({ name }: ts.FunctionDeclaration): boolean {
  return /^(create|start|open)[A-Z]/.test(name?.text ?? '')
}

function named(declaration: ts.Declaration): string {
  const name = ts.getNameOfDeclaration(declaration)?.getText() ?? ''
  return `${relative(source, declaration.getSourceFile().fileName)} ${name}`
}

function eachNode(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node)
  ts.forEachChild(node, (child) => eachNode(child, look))
}

function isOwn(declaration: ts.Declaration): boolean {
  const name = ts.getNameOfDeclaration(declaration)
  return name !== undefined && ts.isIdentifier(name) && declaration.getSourceFile().fileName.startsWith(source)
}

function hasMembers(node: ts.Node): node is ts.InterfaceDeclaration | ts.TypeLiteralNode {
  return ts.isInterfaceDeclaration(node) || ts.isTypeLiteralNode(node)
}

function isCallable(member: ts.TypeElement): boolean {
  return (
    ts.isMethodSignature(member) ||
    (ts.isPropertySignature(member) && member.type !== undefined && ts.isFunctionTypeNode(member.type))
  )
}

function isAssigned(node: ts.PropertyAccessExpression): boolean {
  const { parent } = node
  return (
    ts.isBinaryExpression(parent) && parent.left === node && parent.operatorToken.kind === ts.SyntaxKind.EqualsToken
  )
}
