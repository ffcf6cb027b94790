/**
 * Puts decoded pictures on the screen from a worker: as frames of a video track where the browser has that, which needs
 * no graphics processor, else by WebGL2.
 */
import type { HeldPicture } from './picture-player.ts';

export interface PictureSink {
  show(picture: HeldPicture): void;
}

/** matrix_coefficients of BT.601 in its two forms, ISO/IEC 13818-2 table 6-9. */
const BT601: readonly number[] = [5, 6];
const MICROSECONDS = 1e6 / 90_000;

export class TrackSink implements PictureSink {
  readonly #writer: WritableStreamDefaultWriter<VideoFrame>;
  /** Time of the broadcast at position 0: frames carry positions. */
  origin = 0;

  constructor(track: WritableStream<VideoFrame>) {
    this.#writer = track.getWriter();
  }

  show({ planes, shape, time }: HeldPicture): void {
    const { width, height, stride, cb, cr, aspect, matrix } = shape;
    const is601 = BT601.includes(matrix);
    const frame = new VideoFrame(planes, {
      format: 'I420',
      codedWidth: width,
      codedHeight: height,
      displayWidth: Math.round(height * aspect),
      displayHeight: height,
      timestamp: Number.isNaN(time) ? 0 : Math.round((time - this.origin) * MICROSECONDS),
      layout: [
        { offset: 0, stride },
        { offset: cb, stride: stride / 2 },
        { offset: cr, stride: stride / 2 },
      ],
      colorSpace: {
        matrix: is601 ? 'smpte170m' : 'bt709',
        primaries: is601 ? 'smpte170m' : 'bt709',
        transfer: is601 ? 'smpte170m' : 'bt709',
        fullRange: false,
      },
    });
    // A page that is hidden takes none: they must not pile up.
    if ((this.#writer.desiredSize ?? 0) <= 0) frame.close();
    else void this.#writer.write(frame).catch(() => frame.close());
  }
}

const VERTEX = `#version 300 es
in vec2 corner;
out vec2 place;
void main() {
  place = vec2(corner.x, 1.0 - corner.y);
  gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}`;

/** Studio range to RGB; the weights of red and blue come with the matrix. */
const FRAGMENT = `#version 300 es
precision highp float;
uniform sampler2D luma, cb, cr;
uniform vec2 weights;
in vec2 place;
out vec4 colour;
void main() {
  float y = (texture(luma, place).r * 255.0 - 16.0) / 219.0;
  float b = (texture(cb, place).r * 255.0 - 128.0) / 112.0 * (1.0 - weights.y);
  float r = (texture(cr, place).r * 255.0 - 128.0) / 112.0 * (1.0 - weights.x);
  float g = -(weights.y * b + weights.x * r) / (1.0 - weights.x - weights.y);
  colour = vec4(y + r, y + g, y + b, 1.0);
}`;

const WEIGHTS_709 = [0.2126, 0.0722] as const;
const WEIGHTS_601 = [0.299, 0.114] as const;

export class CanvasSink implements PictureSink {
  readonly #canvas: OffscreenCanvas;
  readonly #gl: WebGL2RenderingContext;
  readonly #program: WebGLProgram;
  readonly #textures: WebGLTexture[];
  #shape: HeldPicture['shape'] | undefined;

  /** @throws Error where WebGL2 is not to be had */
  constructor(canvas: OffscreenCanvas) {
    const gl = canvas.getContext('webgl2', { alpha: false, antialias: false, desynchronized: true });
    if (gl === null) throw new Error('no WebGL2');
    this.#canvas = canvas;
    this.#gl = gl;
    this.#program = link(gl);
    gl.useProgram(this.#program);
    const corners = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, corners);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, 0, 1, 0, 0, 1, 1, 1]), gl.STATIC_DRAW);
    const corner = gl.getAttribLocation(this.#program, 'corner');
    gl.enableVertexAttribArray(corner);
    gl.vertexAttribPointer(corner, 2, gl.FLOAT, false, 0, 0);
    this.#textures = ['luma', 'cb', 'cr'].map((name, unit) => {
      gl.uniform1i(gl.getUniformLocation(this.#program, name), unit);
      return gl.createTexture();
    });
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  }

  show({ planes, shape }: HeldPicture): void {
    const gl = this.#gl;
    if (shape !== this.#shape) this.#reshape(shape);
    const { width, height, stride, cb, cr } = shape;
    const parts = [
      [0, stride, width, height],
      [cb, stride / 2, Math.ceil(width / 2), Math.ceil(height / 2)],
      [cr, stride / 2, Math.ceil(width / 2), Math.ceil(height / 2)],
    ] as const;
    for (const [unit, [offset, line, columns, lines]] of parts.entries()) {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.pixelStorei(gl.UNPACK_ROW_LENGTH, line);
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, columns, lines, gl.RED, gl.UNSIGNED_BYTE, planes, offset);
    }
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  #reshape(shape: HeldPicture['shape']): void {
    const gl = this.#gl;
    this.#shape = shape;
    const { width, height, aspect, matrix } = shape;
    this.#canvas.width = Math.round(height * aspect);
    this.#canvas.height = height;
    gl.viewport(0, 0, this.#canvas.width, this.#canvas.height);
    gl.uniform2fv(
      gl.getUniformLocation(this.#program, 'weights'),
      BT601.includes(matrix) ? WEIGHTS_601 : WEIGHTS_709,
    );
    for (const [unit, texture] of this.#textures.entries()) {
      const [columns, lines] = unit === 0 ? [width, height] : [Math.ceil(width / 2), Math.ceil(height / 2)];
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.R8, columns, lines, 0, gl.RED, gl.UNSIGNED_BYTE, null);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    }
  }
}

/** @throws Error with the log of the compiler */
function link(gl: WebGL2RenderingContext): WebGLProgram {
  const program = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ] as const) {
    const shader = gl.createShader(type);
    if (shader === null) throw new Error('no shader');
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (gl.getProgramParameter(program, gl.LINK_STATUS) !== true) {
    throw new Error(gl.getProgramInfoLog(program) ?? 'the shader was not linked');
  }
  return program;
}
