/**
 * Parser of ECMAScript, 2nd edition (ECMA-262, 11 to 14), with the statements `do` and `switch`, strict equality and
 * literals of arrays and objects of the 3rd. There are no nested functions. Time is linear, and so is the tree.
 */
import { Lexer } from './lexer.ts';
import {
  type BinaryOperator,
  type Expression,
  type FunctionNode,
  type Script,
  type Statement,
  type Target,
  UNARY_OPERATORS,
} from './syntax.ts';

/** Nesting of statements and expressions. */
const MAX_NESTING = 256;

/** Binding of binary operators; left-associative. */
const PRECEDENCE: ReadonlyMap<string, number> = new Map([
  ...['|'].map((text) => [text, 1] as const),
  ...['^'].map((text) => [text, 2] as const),
  ...['&'].map((text) => [text, 3] as const),
  ...['==', '!=', '===', '!=='].map((text) => [text, 4] as const),
  ...['<', '>', '<=', '>='].map((text) => [text, 5] as const),
  ...['<<', '>>', '>>>'].map((text) => [text, 6] as const),
  ...['+', '-'].map((text) => [text, 7] as const),
  ...['*', '/', '%'].map((text) => [text, 8] as const),
]);
const UNARY: ReadonlySet<string> = new Set(UNARY_OPERATORS);
const ASSIGNMENT = /^(?:\+|-|\*|\/|%|&|\||\^|<<|>>>?)?=$/;

/** Throws `SyntaxFault`. */
export function parse(source: string): Script {
  return new Parser(source).script();
}

function isTarget(expression: Expression): expression is Target {
  return expression.type === 'name' || expression.type === 'member';
}

function updated(target: Expression, operator: string, prefix: boolean): Expression {
  if (!isTarget(target)) return { type: 'invalid', operands: [target] };
  return { type: 'update', delta: operator === '++' ? 1 : -1, prefix, target };
}

class Parser {
  readonly #lexer: Lexer;
  #nesting = 0;
  #variables = new Set<string>();
  #functions: FunctionNode[] | undefined = [];

  constructor(source: string) {
    this.#lexer = new Lexer(source);
  }

  script(): Script {
    const body: Statement[] = [];
    while (this.#lexer.kind !== 'end') body.push(this.#statement());
    return { body, variables: [...this.#variables], functions: this.#functions ?? [] };
  }

  #is(text: string): boolean {
    return this.#lexer.is(text);
  }

  #take(text: string): boolean {
    if (!this.#lexer.is(text)) return false;
    this.#lexer.next();
    return true;
  }

  #expect(text: string): void {
    if (!this.#take(text)) this.#lexer.fail(`expected '${text}' before '${this.#lexer.text}'`);
  }

  #name(): string {
    if (this.#lexer.kind !== 'name') this.#lexer.fail(`expected a name before '${this.#lexer.text}'`);
    const name = this.#lexer.text;
    this.#lexer.next();
    return name;
  }

  #nested<T>(parse: () => T): T {
    this.#nesting += 1;
    if (this.#nesting > MAX_NESTING) this.#lexer.fail('nested too deeply');
    const result = parse();
    this.#nesting -= 1;
    return result;
  }

  /** A statement ends with a semicolon, before a closing brace, or where a line ends. */
  #end(): void {
    if (this.#take(';')) return;
    if (this.#is('}') || this.#lexer.kind === 'end' || this.#lexer.afterLineEnd) return;
    this.#lexer.fail(`expected ';' before '${this.#lexer.text}'`);
  }

  #statement(): Statement {
    return this.#nested(() => this.#anyStatement());
  }

  #anyStatement(): Statement {
    const line = this.#lexer.line;
    const { kind, text } = this.#lexer;
    if (kind === 'punctuator') {
      if (this.#take(';')) return { type: 'empty', line };
      if (text === '{') return { type: 'block', body: this.#block(), line };
    }
    if (kind === 'keyword') {
      switch (text) {
        case 'function':
          this.#function();
          return { type: 'empty', line };
        case 'var': {
          const declared = this.#var(true);
          this.#end();
          return declared;
        }
        case 'if':
          return this.#if(line);
        case 'for':
          return this.#for(line);
        case 'while': {
          this.#lexer.next();
          const test = this.#condition();
          return { type: 'for', init: undefined, test, update: undefined, body: this.#statement(), line };
        }
        case 'do':
          return this.#doWhile(line);
        case 'switch':
          return this.#switch(line);
        case 'with': {
          this.#lexer.next();
          const object = this.#condition();
          return { type: 'with', object, body: this.#statement(), line };
        }
        case 'return':
          return this.#return(line);
        case 'break':
        case 'continue':
          this.#lexer.next();
          this.#end();
          return { type: text, line };
      }
    }
    const expression = this.#list(true);
    this.#end();
    return { type: 'expression', expression, line };
  }

  #block(): Statement[] {
    this.#expect('{');
    const body: Statement[] = [];
    while (!this.#take('}')) body.push(this.#statement());
    return body;
  }

  #condition(): Expression {
    this.#expect('(');
    const test = this.#list(true);
    this.#expect(')');
    return test;
  }

  #function(): void {
    const line = this.#lexer.line;
    const functions = this.#functions;
    if (functions === undefined) this.#lexer.fail('a function inside a function');
    this.#lexer.next();
    const name = this.#name();
    const parameters: string[] = [];
    this.#expect('(');
    while (!this.#is(')')) {
      parameters.push(this.#name());
      if (!this.#take(',')) break;
    }
    this.#expect(')');
    const outside = this.#variables;
    this.#variables = new Set();
    this.#functions = undefined;
    const body = this.#block();
    for (const parameter of parameters) this.#variables.delete(parameter);
    const variables = [...this.#variables];
    this.#variables = outside;
    this.#functions = functions;
    functions.push({ name, parameters, body, variables, line });
  }

  #var(allowIn: boolean): Statement & { type: 'var' } {
    const line = this.#lexer.line;
    this.#lexer.next();
    const declarations: [string, Expression | undefined][] = [];
    do {
      const name = this.#name();
      this.#variables.add(name);
      declarations.push([name, this.#take('=') ? this.#assignment(allowIn) : undefined]);
    } while (this.#take(','));
    return { type: 'var', declarations, line };
  }

  #if(line: number): Statement {
    const arms: [Expression, Statement][] = [];
    do {
      this.#lexer.next();
      const test = this.#condition();
      arms.push([test, this.#statement()]);
      if (!this.#take('else')) return { type: 'if', arms, otherwise: undefined, line };
    } while (this.#is('if'));
    return { type: 'if', arms, otherwise: this.#statement(), line };
  }

  #for(line: number): Statement {
    this.#lexer.next();
    this.#expect('(');
    let init: Statement | undefined;
    if (this.#is('var')) {
      const declared = this.#var(false);
      const [first, second] = declared.declarations;
      if (this.#is('in') && first !== undefined && second === undefined)
        return this.#forIn({ type: 'name', name: first[0] }, first[1], line);
      init = declared;
    } else if (!this.#is(';')) {
      const expression = this.#list(false);
      if (this.#is('in') && isTarget(expression)) return this.#forIn(expression, undefined, line);
      init = { type: 'expression', expression, line };
    }
    this.#expect(';');
    const test = this.#is(';') ? undefined : this.#list(true);
    this.#expect(';');
    const update = this.#is(')') ? undefined : this.#list(true);
    this.#expect(')');
    return { type: 'for', init, test, update, body: this.#statement(), line };
  }

  #forIn(target: Target, init: Expression | undefined, line: number): Statement {
    this.#lexer.next();
    const object = this.#list(true);
    this.#expect(')');
    return { type: 'forIn', target, init, object, body: this.#statement(), line };
  }

  #doWhile(line: number): Statement {
    this.#lexer.next();
    const body = this.#statement();
    this.#expect('while');
    const test = this.#condition();
    this.#take(';');
    return { type: 'doWhile', body, test, line };
  }

  #switch(line: number): Statement {
    this.#lexer.next();
    const value = this.#condition();
    this.#expect('{');
    const clauses: [Expression | undefined, Statement[]][] = [];
    while (!this.#take('}')) {
      let test: Expression | undefined;
      if (!this.#take('default')) {
        this.#expect('case');
        test = this.#list(true);
      } else if (clauses.some(([other]) => other === undefined)) this.#lexer.fail('a second default');
      this.#expect(':');
      const body: Statement[] = [];
      while (!this.#is('case') && !this.#is('default') && !this.#is('}')) body.push(this.#statement());
      clauses.push([test, body]);
    }
    return { type: 'switch', value, clauses, line };
  }

  #return(line: number): Statement {
    if (this.#functions !== undefined) this.#lexer.fail('return outside of a function');
    this.#lexer.next();
    const ends = this.#is(';') || this.#is('}') || this.#lexer.kind === 'end' || this.#lexer.afterLineEnd;
    const value = ends ? undefined : this.#list(true);
    this.#end();
    return { type: 'return', value, line };
  }

  /** Expressions separated by commas. `in` is an operator nowhere; `allowIn` is false where `for` looks for it. */
  #list(allowIn: boolean): Expression {
    const first = this.#assignment(allowIn);
    if (!this.#is(',')) return first;
    const items = [first];
    while (this.#take(',')) items.push(this.#assignment(allowIn));
    return { type: 'list', items };
  }

  #assignment(allowIn: boolean): Expression {
    return this.#nested(() => {
      const left = this.#conditional(allowIn);
      const { kind, text } = this.#lexer;
      if (kind !== 'punctuator' || !ASSIGNMENT.test(text)) return left;
      this.#lexer.next();
      if (!isTarget(left)) return { type: 'invalid', operands: [left, this.#assignment(allowIn)] };
      const operator = text === '=' ? undefined : (text.slice(0, -1) as BinaryOperator);
      return { type: 'assign', target: left, operator, value: this.#assignment(allowIn) };
    });
  }

  #conditional(allowIn: boolean): Expression {
    const test = this.#or();
    if (!this.#take('?')) return test;
    const yes = this.#assignment(true);
    this.#expect(':');
    return { type: 'conditional', test, yes, no: this.#assignment(allowIn) };
  }

  #or(): Expression {
    return this.#logical('||', () => this.#logical('&&', () => this.#binary(1)));
  }

  #logical(operator: '||' | '&&', operand: () => Expression): Expression {
    const first = operand();
    if (!this.#is(operator)) return first;
    const operands = [first];
    while (this.#take(operator)) operands.push(operand());
    return { type: 'logical', and: operator === '&&', operands };
  }

  /** Operators that bind at least as tightly as `least`. Those of one precedence in a row become one node. */
  #binary(least: number): Expression {
    let left = this.#unary();
    let rest: [BinaryOperator, Expression][] = [];
    let before = 0;
    for (;;) {
      const precedence = this.#lexer.kind === 'punctuator' ? (PRECEDENCE.get(this.#lexer.text) ?? 0) : 0;
      if (precedence < least || precedence === 0) return left;
      const operator = this.#lexer.text as BinaryOperator;
      this.#lexer.next();
      if (precedence !== before) {
        rest = [];
        left = { type: 'binary', first: left, rest };
        before = precedence;
      }
      rest.push([operator, this.#binary(precedence + 1)]);
    }
  }

  #unary(): Expression {
    const { kind, text } = this.#lexer;
    if (kind !== 'punctuator' && kind !== 'keyword') return this.#postfix();
    if (text === '++' || text === '--') {
      this.#lexer.next();
      return updated(
        this.#nested(() => this.#unary()),
        text,
        true,
      );
    }
    if (!UNARY.has(text)) return this.#postfix();
    this.#lexer.next();
    const operand = this.#nested(() => this.#unary());
    return { type: 'unary', operator: text as (Expression & { type: 'unary' })['operator'], operand };
  }

  #postfix(): Expression {
    const operand = this.#calls();
    const { text, afterLineEnd } = this.#lexer;
    if (afterLineEnd || !(this.#is('++') || this.#is('--'))) return operand;
    this.#lexer.next();
    return updated(operand, text, false);
  }

  #calls(): Expression {
    let expression = this.#is('new') ? this.#nested(() => this.#new()) : this.#primary();
    for (;;) {
      const line = this.#lexer.line;
      if (this.#is('(')) expression = { type: 'call', callee: expression, args: this.#args(), line };
      else {
        const member = this.#member(expression);
        if (member === undefined) return expression;
        expression = member;
      }
    }
  }

  #member(object: Expression): Expression | undefined {
    if (this.#take('[')) {
      const key = this.#list(true);
      this.#expect(']');
      return { type: 'member', object, key };
    }
    if (!this.#take('.')) return undefined;
    // After a dot, a keyword is a name.
    if (this.#lexer.kind !== 'name' && this.#lexer.kind !== 'keyword')
      this.#lexer.fail(`expected a name before '${this.#lexer.text}'`);
    const key: Expression = { type: 'constant', value: this.#lexer.text };
    this.#lexer.next();
    return { type: 'member', object, key };
  }

  #new(): Expression {
    const line = this.#lexer.line;
    this.#lexer.next();
    let callee = this.#is('new') ? this.#nested(() => this.#new()) : this.#primary();
    for (let member = this.#member(callee); member !== undefined; member = this.#member(callee))
      callee = member;
    return { type: 'new', callee, args: this.#is('(') ? this.#args() : [], line };
  }

  #args(): Expression[] {
    this.#expect('(');
    const args = this.#elements(')');
    this.#expect(')');
    return args;
  }

  #elements(end: string): Expression[] {
    const items: Expression[] = [];
    while (!this.#is(end)) {
      items.push(this.#assignment(true));
      if (!this.#take(',')) break;
      // Only a literal of an array may end with a comma.
      if (end === ')' && this.#is(end)) this.#lexer.fail("expected an argument before ')'");
    }
    return items;
  }

  #primary(): Expression {
    const { kind, text, value } = this.#lexer;
    if (kind === 'name') {
      this.#lexer.next();
      return { type: 'name', name: text };
    }
    if (kind === 'number' || kind === 'string') {
      this.#lexer.next();
      return { type: 'constant', value: kind === 'number' ? value : text };
    }
    if (this.#take('(')) {
      const inner = this.#list(true);
      this.#expect(')');
      return inner;
    }
    if (this.#take('this')) return { type: 'this' };
    if (this.#take('null')) return { type: 'constant', value: null };
    if (this.#take('true')) return { type: 'constant', value: true };
    if (this.#take('false')) return { type: 'constant', value: false };
    if (this.#take('[')) {
      const elements = this.#elements(']');
      this.#expect(']');
      return { type: 'array', elements };
    }
    if (this.#is('{')) return this.#object();
    this.#lexer.fail(`unexpected '${text}'`);
  }

  #object(): Expression {
    this.#expect('{');
    const entries: [string, Expression][] = [];
    while (!this.#is('}')) {
      const { kind, text, value } = this.#lexer;
      if (kind === 'punctuator' || kind === 'end') this.#lexer.fail(`unexpected '${text}'`);
      this.#lexer.next();
      this.#expect(':');
      entries.push([kind === 'number' ? String(value) : text, this.#assignment(true)]);
      if (!this.#take(',')) break;
    }
    this.#expect('}');
    return { type: 'object', entries };
  }
}
