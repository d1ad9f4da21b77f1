# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of xlazy in gdb: shape, element type, whether they are computed, the line that wrote them, and the elements.

    (gdb) source PREFIX/share/xlazy/xlazy-gdb.py
    (gdb) print a
    $1 = xtensor i32(3), computed, written at heat.cpp:9 = {1, 2, 3}

Nothing is called or computed by looking: what is not computed yet is said to be so. Needs a program with -g.
"""
import re

import gdb
import gdb.printing

MOST_ELEMENTS = 200
TYPES = {'bool': 'bool', 'float': 'f32', 'double': 'f64', 'std::complex<float>': 'c64', 'std::complex<double>': 'c128'}


def short_name(element):
    element = element.strip_typedefs()
    if element.code == gdb.TYPE_CODE_INT:
        return '%s%d' % ('i' if element.is_signed else 'u', 8 * element.sizeof)
    return TYPES.get(str(element), str(element))


def numbers(sequence):
    """The values of a std::array or an xtl::svector."""
    kind = sequence.type.strip_typedefs()
    fields = [field.name for field in kind.fields()]
    if '_M_elems' in fields:
        count = int(kind.template_argument(1))
        return [int(sequence['_M_elems'][i]) for i in range(count)]
    begin, end = sequence['m_begin'], sequence['m_end']
    return [int(begin[i]) for i in range(int(end - begin))]


def word(address):
    return int(gdb.Value(int(address)).cast(gdb.lookup_type('unsigned long').pointer()).dereference())


def half_word(address):
    return int(gdb.Value(int(address)).cast(gdb.lookup_type('unsigned int').pointer()).dereference())


def layout():
    start = int(gdb.parse_and_eval('(unsigned long)&xlazy_debugger_layout'))
    return [word(start + 8 * i) for i in range(6)]


def place(origin):
    """'file:line' of a number, or nothing."""
    chunks, first, size, _, _, _ = layout()
    position = origin + first
    chunk = (position // first).bit_length() - 1
    entry = word(chunks + 8 * chunk) + (position - (first << chunk)) * size
    line = half_word(entry + 8)
    if origin == 0 or line == 0:
        return ''
    file = gdb.Value(word(entry)).cast(gdb.lookup_type('char').pointer()).string()
    return '%s:%d' % (file, line)


def pending_origin(queue, base):
    """The last write of the base that waits in the queue."""
    _, _, _, uses, size, written_at = layout()
    use, end = word(queue + uses), word(queue + uses + 8)
    while use < end:
        if word(use) == base:
            return half_word(use + written_at)
        use += size
    return 0


def state(base):
    writer = int(base['writer_']['_M_b']['_M_p'])
    if writer != 0:
        line = place(pending_origin(writer, int(base)))
        return 'not computed yet' + (line and ', recorded at ' + line)
    line = place(int(base['origin_']))
    if int(base['poison_']) != 0:
        return 'without a value' + (line and ', since a statement failed; last written at ' + line)
    if int(base['memory_']) == 0:
        return 'never written'
    return 'computed' + (line and ', written at ' + line)


class ArrayPrinter:
    def __init__(self, value):
        self.value = value
        self.element = value.type.strip_typedefs().template_argument(0)
        self.cell = value['cell_']
        self.shape = numbers(self.cell['shape'])
        self.strides = numbers(self.cell['strides'])
        try:
            self.base = self.cell['storage']['base_']
        except gdb.error:  # an element type that is not recorded
            self.base = None

    def to_string(self):
        name = re.sub('<.*', '', str(self.value.type.strip_typedefs())).split('::')[-1]
        text = '%s %s(%s)' % (name, short_name(self.element), ','.join(map(str, self.shape)))
        if self.base is None:
            return text
        if int(self.cell['initial']['_M_base']['_M_i']):
            return text + ', default-constructed'
        return text + ', ' + state(self.base)

    def children(self):
        if self.base is None:
            return
        memory = self.base['memory_']
        if int(memory) == 0 or int(self.base['writer_']['_M_b']['_M_p']) != 0 or int(self.base['poison_']) != 0:
            return
        elements = memory.cast(self.element.pointer())
        count = 1
        for extent in self.shape:
            count *= extent
        for position in range(min(count, MOST_ELEMENTS)):
            offset, rest = 0, position
            for extent, stride in zip(reversed(self.shape), reversed(self.strides)):
                offset += rest % extent * stride
                rest //= extent
            yield '[%d]' % position, elements[offset]
        if count > MOST_ELEMENTS:
            yield '[...]', '%d more' % (count - MOST_ELEMENTS)

    def display_hint(self):
        return 'array'


def make_printer():
    printer = gdb.printing.RegexpCollectionPrettyPrinter('xlazy')
    printer.add_printer('array', '^xlazy::(xarray|xtensor)<', ArrayPrinter)
    return printer


gdb.printing.register_pretty_printer(None, make_printer(), replace=True)
