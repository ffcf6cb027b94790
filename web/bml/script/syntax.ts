/**
 * The syntax tree. What scripts chain without nesting (sums, `else if`, calls in a row, lists with commas) is a list here,
 * so that depth is only what the author nested.
 */
import type { Primitive } from './values.ts';

export type BinaryOperator =
  | ('+' | '-' | '*' | '/' | '%' | '&' | '|' | '^' | '<<' | '>>' | '>>>')
  | ('==' | '!=' | '===' | '!==' | '<' | '<=' | '>' | '>=');

export const UNARY_OPERATORS = ['-', '+', '!', '~', 'typeof', 'void', 'delete'] as const;
type UnaryOperator = (typeof UNARY_OPERATORS)[number];

type NameNode = { readonly type: 'name'; readonly name: string };
export type MemberNode = {
  readonly type: 'member';
  readonly object: Expression;
  readonly key: Expression;
};
export type CallNode = {
  readonly type: 'call' | 'new';
  readonly callee: Expression;
  readonly args: readonly Expression[];
  readonly line: number;
};
export type Target = NameNode | MemberNode;

export type Expression =
  | { readonly type: 'constant'; readonly value: Primitive }
  | { readonly type: 'this' }
  | NameNode
  | MemberNode
  | CallNode
  | { readonly type: 'array'; readonly elements: readonly Expression[] }
  | { readonly type: 'object'; readonly entries: readonly (readonly [key: string, value: Expression])[] }
  | { readonly type: 'unary'; readonly operator: UnaryOperator; readonly operand: Expression }
  | { readonly type: 'update'; readonly delta: 1 | -1; readonly prefix: boolean; readonly target: Target }
  | {
      readonly type: 'binary';
      readonly first: Expression;
      readonly rest: readonly (readonly [operator: BinaryOperator, operand: Expression])[];
    }
  | { readonly type: 'logical'; readonly and: boolean; readonly operands: readonly Expression[] }
  | {
      readonly type: 'conditional';
      readonly test: Expression;
      readonly yes: Expression;
      readonly no: Expression;
    }
  | {
      readonly type: 'assign';
      readonly target: Target;
      /** Undefined for a plain assignment. */
      readonly operator: BinaryOperator | undefined;
      readonly value: Expression;
    }
  /** An assignment to what is no variable or property: an error when it is executed. */
  | { readonly type: 'invalid'; readonly operands: readonly Expression[] }
  | { readonly type: 'list'; readonly items: readonly Expression[] };

export type Statement = { readonly line: number } & (
  | { readonly type: 'expression'; readonly expression: Expression }
  | {
      readonly type: 'var';
      readonly declarations: readonly (readonly [name: string, value: Expression | undefined])[];
    }
  | { readonly type: 'block'; readonly body: readonly Statement[] }
  | {
      readonly type: 'if';
      readonly arms: readonly (readonly [test: Expression, body: Statement])[];
      readonly otherwise: Statement | undefined;
    }
  | {
      readonly type: 'for';
      readonly init: Statement | undefined;
      readonly test: Expression | undefined;
      readonly update: Expression | undefined;
      readonly body: Statement;
    }
  | {
      readonly type: 'forIn';
      readonly target: Target;
      /** The value of `for (var name = value in object)`. */
      readonly init: Expression | undefined;
      readonly object: Expression;
      readonly body: Statement;
    }
  | { readonly type: 'doWhile'; readonly body: Statement; readonly test: Expression }
  | {
      readonly type: 'switch';
      readonly value: Expression;
      /** The test of `default` is undefined. */
      readonly clauses: readonly (readonly [test: Expression | undefined, body: readonly Statement[]])[];
    }
  | { readonly type: 'with'; readonly object: Expression; readonly body: Statement }
  | { readonly type: 'return'; readonly value: Expression | undefined }
  | { readonly type: 'break' | 'continue' | 'empty' }
);

export interface FunctionNode {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly body: readonly Statement[];
  /** Names of local variables, without parameters. */
  readonly variables: readonly string[];
  readonly line: number;
}

export interface Script {
  readonly body: readonly Statement[];
  readonly variables: readonly string[];
  readonly functions: readonly FunctionNode[];
}
