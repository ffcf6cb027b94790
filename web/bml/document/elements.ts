/**
 * The operated elements of BML, their attributes, and what scripts may read and write of them.
 * ARIB STD-B24 Vol. 2 Appendix 2, 5.1 (elements and attributes) and 5.4 (DOM interfaces).
 *
 * Nothing that is not in these tables exists in a document.
 */

interface DomProperty {
  readonly attribute: string;
  /** `flag`: true if the attribute's value is its own name. */
  readonly type: 'text' | 'integer' | 'flag';
  readonly writable: boolean;
  /** Without the attribute. */
  readonly initial: string | number | boolean;
}

const text = (attribute: string, initial = ''): DomProperty => ({
  attribute,
  type: 'text',
  writable: false,
  initial,
});
const integer = (attribute: string, initial = 0): DomProperty => ({
  attribute,
  type: 'integer',
  writable: false,
  initial,
});
const flag = (attribute: string): DomProperty => ({
  attribute,
  type: 'flag',
  writable: false,
  initial: false,
});
const writable = (property: DomProperty): DomProperty => ({ ...property, writable: true });

interface ElementRow {
  /** Name of the interface: the class of the script object. */
  readonly interface: string;
  /** Attributes besides `id`, `class` and `style`. */
  readonly attributes: readonly string[];
  readonly properties: Readonly<Record<string, DomProperty>>;
  /** States that have a style object: `normalStyle` and so on. */
  readonly styles: 'none' | 'normal' | 'all';
  /** It has `focus()` and `blur()`. */
  readonly focusable: boolean;
}

const HANDLERS = ['accesskey', 'onclick', 'onkeydown', 'onkeyup', 'onfocus', 'onblur'];
const accessKey = text('accesskey');

function plain(name: string, attributes: readonly string[] = []): ElementRow {
  return { interface: name, attributes, properties: {}, styles: 'none', focusable: false };
}

const ELEMENT_ROWS = {
  bml: plain('BMLBmlElement'),
  head: plain('HTMLHeadElement'),
  title: plain('HTMLTitleElement'),
  meta: {
    ...plain('HTMLMetaElement', ['name', 'content']),
    properties: { name: text('name'), content: text('content') },
  },
  script: plain('HTMLScriptElement', ['type', 'src', 'charset']),
  style: plain('HTMLStyleElement', ['type', 'media']),
  link: plain('HTMLLinkElement', ['rel', 'type', 'href', 'media', 'charset']),
  bevent: plain('BMLBeventElement'),
  beitem: {
    ...plain('BMLBeitemElement', [
      ...['type', 'onoccur', 'es_ref', 'message_group_id', 'message_id', 'message_version', 'module_ref'],
      ...['language_tag', 'peripheral_ref', 'time_mode', 'time_value', 'object_id', 'segment_id'],
      'subscribe',
    ]),
    properties: {
      type: text('type'),
      esRef: writable(text('es_ref')),
      messageId: writable(integer('message_id', 255)),
      messageVersion: writable(integer('message_version', 255)),
      messageGroupId: integer('message_group_id'),
      moduleRef: writable(text('module_ref')),
      languageTag: writable(integer('language_tag')),
      peripheralRef: writable(text('peripheral_ref')),
      timeMode: text('time_mode'),
      timeValue: writable(text('time_value')),
      objectId: writable(text('object_id')),
      segmentId: writable(text('segment_id')),
      subscribe: writable(flag('subscribe')),
    },
  },
  body: {
    ...plain('BMLBodyElement', ['onload', 'onunload', 'invisible', ...HANDLERS]),
    properties: { invisible: writable(flag('invisible')) },
    styles: 'normal',
  },
  div: {
    interface: 'BMLDivElement',
    attributes: HANDLERS,
    properties: { accessKey },
    styles: 'all',
    focusable: true,
  },
  p: {
    interface: 'BMLParagraphElement',
    attributes: HANDLERS,
    properties: { accessKey },
    styles: 'all',
    focusable: true,
  },
  br: { ...plain('BMLBRElement'), styles: 'normal' },
  span: {
    interface: 'BMLSpanElement',
    attributes: HANDLERS,
    properties: { accessKey },
    styles: 'all',
    focusable: true,
  },
  a: {
    interface: 'BMLAnchorElement',
    attributes: [...HANDLERS, 'href'],
    properties: { accessKey, href: writable(text('href')) },
    styles: 'all',
    focusable: true,
  },
  input: {
    interface: 'BMLInputElement',
    attributes: [
      ...HANDLERS,
      ...['type', 'value', 'maxlength', 'readonly', 'disabled', 'inputmode', 'charactertype', 'onchange'],
    ],
    properties: {
      accessKey,
      defaultValue: text('value'),
      disabled: writable(flag('disabled')),
      maxLength: integer('maxlength', 40),
      readOnly: writable(flag('readonly')),
      type: text('type', 'text'),
    },
    styles: 'all',
    focusable: true,
  },
  object: {
    interface: 'BMLObjectElement',
    attributes: [
      ...HANDLERS,
      ...[
        'type',
        'data',
        'remain',
        'streamposition',
        'streamstatus',
        'streamlooping',
        'streamspeednumerator',
      ],
    ],
    properties: {
      accessKey,
      data: writable(text('data')),
      type: text('type'),
      remain: writable(flag('remain')),
      streamPosition: writable(integer('streamposition')),
    },
    styles: 'all',
    focusable: true,
  },
} as const satisfies Record<string, ElementRow>;

export type TagName = keyof typeof ELEMENT_ROWS;

export const ELEMENTS: ReadonlyMap<string, ElementRow & { readonly tagName: TagName }> = new Map(
  (Object.keys(ELEMENT_ROWS) as TagName[]).map((tagName) => [tagName, { ...ELEMENT_ROWS[tagName], tagName }]),
);

/** Every element has them. */
export const COMMON_ATTRIBUTES = ['id', 'class', 'style'];
