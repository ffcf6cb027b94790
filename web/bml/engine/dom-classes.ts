/**
 * The document as scripts see it: nodes, styles, events (ARIB STD-B24 Vol. 2 Appendix 2, 5.3). The tables are made from
 * those of the document's model, so that a script reaches nothing else.
 */
import {
  type BmlDocument,
  BmlElement,
  type BmlNode,
  type DomValue,
  STYLE_PROPERTIES,
} from '../document/document.ts';
import { ELEMENTS } from '../document/elements.ts';
import type { Coercion } from '../script/functions.ts';
import type { HostClass } from '../script/host.ts';
import type { Machine } from '../script/machine.ts';
import type { Value } from '../script/values.ts';
import { StyleDeclaration } from '../style/cascade.ts';
import { SCRIPT_PROPERTIES } from '../style/properties.ts';
import type { BmlEvent, BroadcastEventFields } from './event-queue.ts';

/** What the classes need of the running document. */
interface DomContext {
  readonly machine: Machine;
  readonly document: BmlDocument;
  readonly currentEvent: BmlEvent;
  focus(element: BmlElement): void;
  blur(element: BmlElement): void;
  /** Selects the sound of the service. @returns whether there is such a sound */
  setMainAudio(reference: string): boolean;
  readonly mainAudio: string;
}

const NODE_PROPERTIES = ['parentNode', 'firstChild', 'lastChild', 'previousSibling', 'nextSibling'];
const ELEMENT_PROPERTIES = ['tagName', 'id', 'className'];
const STYLE_NAMES = { none: [], normal: ['normalStyle'], all: Object.keys(STYLE_PROPERTIES) };
const COERCIONS = { text: 'string', integer: 'number', flag: 'boolean' } as const;

const EVENT_FIELDS: readonly (keyof BroadcastEventFields)[] = [
  'status',
  'privateData',
  'esRef',
  'messageId',
  'messageVersion',
  'messageGroupId',
  'moduleRef',
  'languageTag',
  'peripheralRef',
  'segmentId',
  'object',
];

type HostProperty<T extends object> = NonNullable<HostClass<T>['properties']>[string];
type HostMethod<T extends object> = NonNullable<HostClass<T>['methods']>[string];
type PlainValue = string | number | boolean;

export class DomClasses {
  readonly #context: DomContext;
  readonly #nodes = new Map<string, HostClass<BmlNode>>();
  readonly #style: HostClass<StyleDeclaration>;
  readonly #events: Readonly<Record<'plain' | 'key' | 'broadcast', HostClass<BmlEvent>>>;

  constructor(context: DomContext) {
    this.#context = context;
    this.#style = styleClass();
    this.#events = this.#eventClasses();
    context.machine.defineValue('document', context.machine.wrap(this.#documentClass(), context.document));
  }

  /** A value of the document's model as one of the script. */
  value(value: DomValue): Value {
    if (value instanceof StyleDeclaration) return this.#context.machine.wrap(this.#style, value);
    if (typeof value === 'object' && value !== null)
      return this.#context.machine.wrap(this.#classOf(value), value);
    return value;
  }

  #property(name: string, type: Coercion | undefined): HostProperty<BmlNode> {
    return {
      get: (node) => this.value(node.read(name)),
      ...(type !== undefined && {
        type,
        set: (node: BmlNode, value: Value) => {
          node.write(name, value as PlainValue);
        },
      }),
    };
  }

  #classOf(node: BmlNode): HostClass<BmlNode> {
    const known = this.#nodes.get(node.interface);
    if (known !== undefined) return known;
    const properties: Record<string, HostProperty<BmlNode>> = {};
    const methods: Record<string, HostMethod<BmlNode>> = {};
    for (const name of NODE_PROPERTIES) properties[name] = this.#property(name, undefined);
    if (node instanceof BmlElement) this.#addElement(node, properties, methods);
    else {
      properties.data = this.#property('data', 'string');
      properties.length = this.#property('length', undefined);
    }
    const made: HostClass<BmlNode> = { name: node.interface, properties, methods };
    this.#nodes.set(node.interface, made);
    return made;
  }

  #addElement(
    { tagName }: BmlElement,
    properties: Record<string, HostProperty<BmlNode>>,
    methods: Record<string, HostMethod<BmlNode>>,
  ): void {
    const row = ELEMENTS.get(tagName);
    for (const name of ELEMENT_PROPERTIES) properties[name] = this.#property(name, undefined);
    for (const name of STYLE_NAMES[row?.styles ?? 'none']) properties[name] = this.#property(name, undefined);
    for (const [name, { type, writable }] of Object.entries(row?.properties ?? {}))
      properties[name] = this.#property(name, writable ? COERCIONS[type] : undefined);
    if (tagName === 'title') properties.text = this.#property('text', undefined);
    if (tagName === 'input') properties.value = this.#property('value', 'string');
    const element = (call: (target: BmlElement) => Value): HostMethod<BmlNode> => ({
      call: (target) => (target instanceof BmlElement ? call(target) : undefined),
    });
    if (row?.focusable === true) {
      methods.focus = element((target) => void this.#context.focus(target));
      methods.blur = element((target) => void this.#context.blur(target));
    }
    if (tagName !== 'object') return;
    properties.streamStatus = this.#property('streamStatus', 'string');
    methods.getMainAudioStream = { call: () => this.#context.mainAudio };
    methods.setMainAudioStream = {
      params: ['string'],
      call: (_target, [reference]) => this.#context.setMainAudio(String(reference)),
    };
  }

  #documentClass(): HostClass<BmlDocument> {
    return {
      name: 'BMLDocument',
      properties: {
        documentElement: { get: (document) => this.value(document.documentElement) },
        currentFocus: { get: (document) => this.value(document.currentFocus) },
        currentEvent: {
          get: () => {
            const event = this.#context.currentEvent;
            const kind =
              event.fields !== undefined ? 'broadcast' : event.keyCode !== undefined ? 'key' : 'plain';
            return this.#context.machine.wrap(this.#events[kind], event);
          },
        },
      },
      methods: {
        getElementById: {
          params: ['string'],
          call: (document, [id]) => this.value(document.getElementById(String(id))),
        },
      },
    };
  }

  #eventClasses(): Record<'plain' | 'key' | 'broadcast', HostClass<BmlEvent>> {
    const plain: Record<string, HostProperty<BmlEvent>> = {
      type: { get: ({ type }) => type },
      target: { get: ({ target }) => this.value(target) },
    };
    const fields = Object.fromEntries(
      EVENT_FIELDS.map((name) => [name, { get: (event: BmlEvent) => this.value(event.fields?.[name]) }]),
    );
    return {
      plain: { name: 'BMLEvent', properties: plain },
      key: {
        name: 'BMLIntrinsicEvent',
        properties: { ...plain, keyCode: { get: ({ keyCode }) => keyCode } },
      },
      broadcast: { name: 'BMLBeventEvent', properties: { ...plain, ...fields } },
    };
  }
}

function styleClass(): HostClass<StyleDeclaration> {
  const properties: Record<string, HostProperty<StyleDeclaration>> = {};
  for (const [name, { writable }] of SCRIPT_PROPERTIES)
    properties[name] = {
      get: (style) => style.get(name),
      ...(writable === true && {
        type: 'string' as const,
        set: (style: StyleDeclaration, value: Value) => {
          style.set(name, String(value));
        },
      }),
    };
  return { name: 'BMLCSS2Properties', properties };
}
